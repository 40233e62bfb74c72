package analyzers

func (u *unit) traitPayload(r *region) {}
