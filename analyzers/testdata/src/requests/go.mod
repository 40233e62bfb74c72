module example.test/requests

go 1.26
