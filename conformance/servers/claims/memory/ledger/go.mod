module example.test/pay/ledger

go 1.26
