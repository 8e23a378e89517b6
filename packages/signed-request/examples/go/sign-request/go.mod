module example/sign-request

go 1.19

require github.com/decred/dcrd/dcrec/secp256k1/v4 v4.3.0
