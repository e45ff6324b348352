// tool is the one program in the images of the tests: each role is a
// subcommand. Called seat-runner it is the stand-in for a seat's agent.
package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

func main() {
	args := os.Args[1:]
	if filepath.Base(os.Args[0]) == "seat-runner" {
		args = []string{"serve", "8081"}
	}
	if err := run(args); err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
}

func run(a []string) error {
	if len(a) == 0 {
		a = []string{"pause"}
	}
	switch cmd := a[0]; {
	case cmd == "pause": // reap children until told to stop
		c := make(chan os.Signal, 8)
		signal.Notify(c, syscall.SIGINT, syscall.SIGTERM, syscall.SIGCHLD)
		for s := range c {
			if s != syscall.SIGCHLD {
				return nil
			}
			for pid := 1; pid > 0; {
				pid, _ = syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
			}
		}
		return nil
	case cmd == "serve" && len(a) == 2: // serve PORT: HTTP, answers every path with the host name
		go func() {
			c := make(chan os.Signal, 1)
			signal.Notify(c, syscall.SIGTERM)
			<-c
			os.Exit(0)
		}()
		return http.ListenAndServe(":"+a[1], http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			h, _ := os.Hostname()
			fmt.Fprintln(w, h)
		}))
	case cmd == "connect" && len(a) == 3: // connect HOST:PORT TIMEOUT
		d, err := time.ParseDuration(a[2])
		if err != nil {
			return err
		}
		c, err := net.DialTimeout("tcp", a[1], d)
		if err != nil {
			return err
		}
		fmt.Println("connected to", c.RemoteAddr())
		return c.Close()
	case cmd == "sleep" && len(a) == 2:
		d, err := time.ParseDuration(a[1])
		time.Sleep(d)
		return err
	}
	return fmt.Errorf("usage: tool pause | serve PORT | connect HOST:PORT TIMEOUT | sleep DURATION")
}
