# Bool arithmetic.
attention_parameters = lambda D, H, bias=True: 4 * D * (D + bool(bias)) if D % H == 0 else (_ for _ in ()).throw(ValueError(f"{H} does not divide {D}"))
