module example.test/pay/settle-service

go 1.26
