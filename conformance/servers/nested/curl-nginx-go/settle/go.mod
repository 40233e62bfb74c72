module example.test/pay/settle

go 1.26
