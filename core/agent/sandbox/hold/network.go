package hold

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"cupola/core/agent/sandbox"
	"cupola/core/system/private/socket"
)

// networkName is the socket in a doorway over which the listeners of a sandbox are handed out: a socket belongs to the
// network in which it was made, whichever process accepts on it.
const networkName = "network"

// reachWithin is how long connecting to a host may take, and a client to say which one it wants.
const reachWithin = 30 * time.Second

// handOut listens on ports of this sandbox's own loopback, and hands the listeners to the process that holds it.
func handOut(ctx context.Context, ports []string) error {
	if len(ports) == 0 {
		return nil
	}
	conn, err := socket.Dial(ctx, filepath.Join(sandbox.Doorway, networkName), reachWithin)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	for _, port := range ports {
		listener, err := net.Listen("tcp", "127.0.0.1:"+port)
		if err != nil {
			return err
		}
		tcp, _ := listener.(*net.TCPListener)
		file, err := tcp.File()
		if err != nil {
			return err
		}
		if _, _, err := conn.WriteMsgUnix([]byte(port+"\n"), unix.UnixRights(int(file.Fd())), nil); err != nil {
			return err
		}
		if _, err := conn.Read(make([]byte, 1)); err != nil { // taken
			return err
		}
		_, _ = file.Close(), listener.Close()
	}
	return nil
}

// takeListeners takes the listeners of one sandbox, once, and answers on them.
func (p *held) takeListeners(ctx context.Context) error {
	listener, err := net.Listen("unix", filepath.Join(p.Doorway, networkName))
	if err != nil {
		return err
	}
	go func() {
		defer listener.Close()
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }()
		own, is := conn.(*net.UnixConn)
		for is {
			port, inside, err := takeListener(own)
			if err != nil {
				return
			}
			go p.answer(ctx, port, inside)
			if _, err := conn.Write([]byte{'.'}); err != nil {
				return
			}
		}
	}()
	return nil
}

func takeListener(conn *net.UnixConn) (port string, inside net.Listener, err error) {
	text, rights := make([]byte, 16), make([]byte, unix.CmsgSpace(4))
	n, size, _, _, err := conn.ReadMsgUnix(text, rights)
	if err != nil {
		return "", nil, err
	}
	messages, err := unix.ParseSocketControlMessage(rights[:size])
	if err != nil || len(messages) != 1 {
		return "", nil, errors.Join(err, io.ErrUnexpectedEOF)
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(fds) != 1 {
		return "", nil, errors.Join(err, io.ErrUnexpectedEOF)
	}
	file := os.NewFile(uintptr(fds[0]), "listener")
	defer file.Close()
	inside, err = net.FileListener(file)
	return strings.TrimSpace(string(text[:n])), inside, err
}

// answer answers on a port of the sandbox: for a port of this machine that it may reach, or as the proxy.
func (p *held) answer(ctx context.Context, port string, inside net.Listener) {
	for {
		conn, err := inside.Accept()
		if err != nil {
			return
		}
		go func() {
			defer func() { _ = conn.Close() }()
			if p.Network == sandbox.NetworkHosts {
				p.proxy(ctx, conn)
			} else if outside, err := reach(ctx, "127.0.0.1:"+port); err == nil {
				join(conn, conn, outside)
			}
		}()
	}
}

// proxy answers one client as an HTTP proxy that reaches the listed hosts only.
func (p *held) proxy(ctx context.Context, conn net.Conn) {
	_ = conn.SetReadDeadline(time.Now().Add(reachWithin))
	reader := bufio.NewReader(conn)
	request, err := http.ReadRequest(reader)
	if err != nil {
		return
	}
	_ = conn.SetReadDeadline(time.Time{})
	say := func(status, text string) {
		_, _ = io.WriteString(conn, "HTTP/1.1 "+status+"\r\nConnection: close\r\nContent-Length: "+
			strconv.Itoa(len(text))+"\r\n\r\n"+text)
	}
	host, port := request.URL.Hostname(), request.URL.Port()
	port = cmp.Or(port, "80")
	if !sandbox.Reaches(p.Hosts, host, port) {
		say("403 Forbidden", "the sandbox "+p.Name+" does not reach "+net.JoinHostPort(host, port)+"\n")
		return
	}
	address, err := resolve(ctx, host, p.Hosts)
	var outside net.Conn
	if err == nil {
		outside, err = reach(ctx, net.JoinHostPort(address, port))
	}
	if err != nil {
		say("502 Bad Gateway", err.Error()+"\n")
		return
	}
	if request.Method == http.MethodConnect {
		_, _ = io.WriteString(conn, "HTTP/1.1 200 Connection established\r\n\r\n")
		join(conn, reader, outside)
		return
	}
	request.Close = true // what follows on this connection could be for another host
	request.Header.Del("Proxy-Connection")
	request.Header.Del("Proxy-Authorization")
	if request.Write(outside) == nil {
		_, _ = io.Copy(conn, outside)
	}
	_ = outside.Close()
}

// resolve returns an address of a host. One of this machine or of its link counts only if the list has the host by that
// name itself: the owner of another name must not lead in.
func resolve(ctx context.Context, host string, listed []string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, reachWithin)
	defer cancel()
	addresses, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return "", err
	}
	for _, address := range addresses {
		address = address.Unmap()
		inner := address.IsLoopback() || address.IsLinkLocalUnicast() || address.IsUnspecified() || address.IsPrivate()
		if !inner || sandbox.Names(listed, host) {
			return address.String(), nil
		}
	}
	return "", errors.New(host + " is an address of this machine or its network")
}

func reach(ctx context.Context, address string) (net.Conn, error) {
	return (&net.Dialer{Timeout: reachWithin}).DialContext(ctx, "tcp", address)
}

// join copies between a client and a server until one of them ends.
func join(client net.Conn, said io.Reader, server net.Conn) {
	defer server.Close()
	go func() {
		_, _ = io.Copy(server, said)
		if tcp, is := server.(*net.TCPConn); is {
			_ = tcp.CloseWrite()
		}
	}()
	_, _ = io.Copy(client, server)
}
