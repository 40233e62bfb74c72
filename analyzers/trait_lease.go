package analyzers

func (u *unit) traitLeases() {}
