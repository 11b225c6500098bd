// The parts of a Kubernetes control plane and of a node in one binary, for tests: the first argument chooses the part,
// the rest are that part's own flags. One binary links what all parts share once, and is built once.
package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/coremain"
	_ "github.com/coredns/coredns/plugin/cache"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/health"
	_ "github.com/coredns/coredns/plugin/kubernetes"
	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	proxy "k8s.io/kubernetes/cmd/kube-proxy/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

func kubernetes(command func() *cobra.Command) func() int {
	return func() int { return cli.Run(command()) }
}

var parts = map[string]func() int{
	"etcd": func() int {
		etcdmain.Main(os.Args)
		return 0
	},
	"kube-apiserver":          kubernetes(apiserver.NewAPIServerCommand),
	"kube-controller-manager": kubernetes(controllers.NewControllerManagerCommand),
	"kube-scheduler":          kubernetes(func() *cobra.Command { return scheduler.NewSchedulerCommand() }),
	"kubelet": kubernetes(func() *cobra.Command {
		return kubelet.NewKubeletCommand(context.Background())
	}),
	"kube-proxy": kubernetes(proxy.NewProxyCommand),
	"coredns": func() int {
		// The order in which a query passes what is linked in.
		dnsserver.Directives = []string{"errors", "health", "cache", "kubernetes"}
		coremain.Run()
		return 0
	},
}

func main() {
	if len(os.Args) > 1 {
		if run, known := parts[os.Args[1]]; known {
			os.Args = os.Args[1:]
			os.Exit(run())
		}
	}
	names := slices.Sorted(maps.Keys(parts))
	fmt.Fprintf(os.Stderr, "usage: %s %s [flags]\n", os.Args[0], strings.Join(names, "|"))
	os.Exit(2)
}
