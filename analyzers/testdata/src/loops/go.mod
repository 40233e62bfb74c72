module example.test/loops

go 1.26
