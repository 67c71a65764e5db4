// An application that uses golang.org/x/oauth2 as its documentation says. Reads the redirect from its input.
package main

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"golang.org/x/oauth2"
)

func check(ok bool, what string) {
	if !ok {
		fmt.Fprintln(os.Stderr, what)
		os.Exit(1)
	}
}

func must(err error) {
	if err != nil {
		check(false, err.Error())
	}
}

func main() {
	base := os.Getenv("BASE")
	config := &oauth2.Config{
		ClientID:     os.Getenv("CLIENT_ID"),
		ClientSecret: os.Getenv("CLIENT_SECRET"),
		RedirectURL:  os.Getenv("CALLBACK"),
		Scopes:       []string{"read", "write"},
		Endpoint:     oauth2.Endpoint{AuthURL: base + "/accounts/developer/authorize/", TokenURL: base + "/accounts/oauth/token/"},
	}
	ctx := context.Background()
	verifier := oauth2.GenerateVerifier()
	fmt.Println(config.AuthCodeURL("a state", oauth2.S256ChallengeOption(verifier)))
	line, err := bufio.NewReader(os.Stdin).ReadString('\n')
	must(err)
	redirect, err := url.Parse(strings.TrimSpace(line))
	must(err)
	check(redirect.Query().Get("state") == "a state", "the state is missing")
	first, err := config.Exchange(ctx, redirect.Query().Get("code"), oauth2.VerifierOption(verifier))
	must(err)
	status := func(token *oauth2.Token) int {
		reply, err := config.Client(ctx, token).Get(base + "/api/v3/surveys/")
		must(err)
		reply.Body.Close()
		return reply.StatusCode
	}
	check(status(first) == http.StatusOK, "the access token is refused")
	// The library refreshes an access token that has expired. Two processes with one stored token do so twice.
	expired := *first
	expired.Expiry = time.Now().Add(-time.Hour)
	second, err := config.TokenSource(ctx, &expired).Token()
	must(err)
	third, err := config.TokenSource(ctx, &expired).Token()
	must(err)
	check(second.AccessToken != first.AccessToken && third.AccessToken != second.AccessToken, "the token was not refreshed")
	check(status(second) == http.StatusOK && status(third) == http.StatusOK, "a refreshed token is refused")
	form := url.Values{"token": {third.RefreshToken}, "client_id": {config.ClientID}}
	if config.ClientSecret != "" {
		form.Set("client_secret", config.ClientSecret)
	}
	reply, err := http.PostForm(base+"/accounts/oauth/revoke/", form)
	must(err)
	check(reply.StatusCode == http.StatusOK, "the revocation failed")
	// Without its refresh token, so that the library shows the refusal.
	check(status(&oauth2.Token{AccessToken: third.AccessToken}) == http.StatusUnauthorized, "the revoked token works")
	fmt.Println("done")
}
