// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package io

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"testing"
)

// A fake is a driver with one cache for all connections, and one for each.
type fake struct{ shared, own *cache }

func (f *fake) Connect(context.Context) (driver.Conn, error) {
	return &fakeConn{shared: f.shared, own: f.own}, nil
}
func (f *fake) Driver() driver.Driver { return nil }

type fakeConn struct{ shared, own *cache }

func (c *fakeConn) Prepare(string) (driver.Stmt, error) { return &fakeStmt{c}, nil }
func (c *fakeConn) Close() error                        { return nil }
func (c *fakeConn) Begin() (driver.Tx, error)           { return fakeTx{}, nil }

type fakeStmt struct{ c *fakeConn }

func (s *fakeStmt) Close() error  { return nil }
func (s *fakeStmt) NumInput() int { return 0 }
func (s *fakeStmt) Exec([]driver.Value) (driver.Result, error) {
	if s.c.shared != nil {
		s.c.shared.get()
	}
	if s.c.own != nil {
		s.c.own.get()
	}
	return driver.RowsAffected(1), nil
}
func (s *fakeStmt) Query([]driver.Value) (driver.Rows, error) { return nil, driver.ErrSkip }

type fakeTx struct{}

func (fakeTx) Commit() error   { return nil }
func (fakeTx) Rollback() error { return nil }

func open(t *testing.T, f *fake) *sql.DB {
	db := sql.OpenDB(f)
	closeAtEnd(t, db)
	return db
}

// TestRaceSQLConn has two connections in use at once.
func TestRaceSQLConn(t *testing.T) {
	db := open(t, &fake{shared: new(cache)})
	ctx := context.Background()
	connect := func() *sql.Conn {
		c, err := db.Conn(ctx)
		must(t, err)
		return c
	}
	a, b := connect(), connect()
	use := func(c *sql.Conn) func() {
		return func() {
			_, err := c.ExecContext(ctx, "text")
			must(t, err)
			must(t, c.Close())
		}
	}
	inTurn(use(a), use(b))
}

// TestRaceSQLOpened has two goroutines that open a connection each, one after the other.
func TestRaceSQLOpened(t *testing.T) {
	db := open(t, &fake{shared: new(cache)})
	var first, second flag
	ctx := context.Background()
	together(func() {
		tx, err := db.BeginTx(ctx, nil)
		must(t, err)
		_, err = tx.Exec("text")
		must(t, err)
		first.raise()
		second.await()
		must(t, tx.Commit())
	}, func() {
		first.await()
		tx, err := db.BeginTx(ctx, nil)
		must(t, err)
		_, err = tx.Exec("text")
		must(t, err)
		must(t, tx.Commit())
		second.raise()
	})
}

// TestRaceSQLUser has calls of the program between those of the database.
func TestRaceSQLUser(t *testing.T) {
	db := open(t, &fake{})
	c := new(cache)
	ctx := context.Background()
	one := func() {
		conn, err := db.Conn(ctx)
		must(t, err)
		if _, ok := c.m.Load("key"); !ok {
			_, err := conn.ExecContext(ctx, "text")
			must(t, err)
			c.m.Store("key", new(int))
		}
	}
	inTurn(one, one)
}

// TestNoRaceSQLReused has one connection, which one goroutine leaves to the other.
func TestNoRaceSQLReused(t *testing.T) {
	for _, prepared := range []bool{false, true} {
		db := open(t, &fake{own: new(cache)})
		exec := func() {
			_, err := db.Exec("text")
			must(t, err)
		}
		if prepared {
			stmt, err := db.Prepare("text")
			must(t, err)
			closeAtEnd(t, stmt)
			exec = func() {
				_, err := stmt.Exec()
				must(t, err)
			}
		}
		inTurn(exec, exec)
	}
}

// TestNoRaceSQLWaits has a goroutine wait for the only connection.
func TestNoRaceSQLWaits(t *testing.T) {
	db := open(t, &fake{})
	db.SetMaxOpenConns(1)
	c := new(cache)
	ctx := context.Background()
	one := func() {
		conn, err := db.Conn(ctx)
		must(t, err)
		c.get()
		must(t, conn.Close())
	}
	conn, err := db.Conn(ctx)
	must(t, err)
	together(one, func() {
		for db.Stats().WaitCount == 0 {
		}
		c.get()
		must(t, conn.Close())
	})
}

// TestNoRaceSQLClosed finds the database closed.
func TestNoRaceSQLClosed(t *testing.T) {
	db := open(t, &fake{})
	c := new(cache)
	inTurn(func() {
		c.get()
		must(t, db.Close())
	}, func() {
		if _, err := db.Exec("text"); err == nil {
			t.Error("the database is open")
		}
		c.set()
	})
}
