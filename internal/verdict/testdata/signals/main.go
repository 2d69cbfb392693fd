// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build unix

// Command signals makes a race, and sends signals to itself.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

func main() {
	var m sync.Map
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() { m.Store("k", i) })
	}
	wg.Wait()
	switch os.Args[1] {
	case "ends":
		send(syscall.SIGTERM)
	case "asks":
		send(syscall.SIGUSR1)
		send(syscall.SIGINT)
	case "handles":
		c := make(chan os.Signal, 2)
		signal.Notify(c, syscall.SIGUSR1, syscall.SIGTERM)
		for _, s := range []syscall.Signal{syscall.SIGUSR1, syscall.SIGTERM} {
			send(s)
			fmt.Println("got", <-c)
		}
		return
	}
	select {}
}

func send(s syscall.Signal) {
	if err := syscall.Kill(os.Getpid(), s); err != nil {
		panic(err)
	}
}
