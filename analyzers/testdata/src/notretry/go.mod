module example.test/notretry

go 1.26
