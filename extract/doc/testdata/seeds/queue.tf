variable "retries" { default = 3 }
resource "aws_sqs_queue" "orders" {
  name                       = "orders-${var.env}"
  visibility_timeout_seconds = 6 * 30
  redrive_policy = jsonencode({
    deadLetterTargetArn = aws_sqs_queue.dead.arn
    maxReceiveCount     = 4 # receives
  })
  tags = { for k, v in var.tags : k => upper(v) }
}
locals {
  a = var.x ? 1 : -2
  text = <<-EOT
    hello ${var.name}
  EOT
}
