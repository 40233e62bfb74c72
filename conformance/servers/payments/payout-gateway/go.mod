module example.test/pay/payout-gateway

go 1.26
