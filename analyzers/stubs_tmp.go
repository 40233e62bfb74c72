package analyzers

import "go/types"
import "go/ast"

func (u *unit) libraryRegions() {}
func (u *unit) helperRegions()  {}
func (u *unit) handlers()       {}
func (u *unit) suppressions()   {}

func (u *unit) request(s *site, k callee) bool     { return false }
func (u *unit) librarySend(s *site, k callee) bool { return false }
func (u *unit) store(s *site, k callee) bool       { return false }

func (r *Repo) noteInterface(f *types.Func, recv ast.Expr, u *unit) {}
