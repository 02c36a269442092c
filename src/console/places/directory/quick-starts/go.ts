import { type Language, literal, SIGN_IN_SCOPE, type Start } from './start.ts';

const SCOPES = SIGN_IN_SCOPE.split(' ').map(literal).join(', ');

const web = (start: Start): string => `package main

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

func main() {
	provider, err := oidc.NewProvider(context.Background(), ${literal(start.issuer)})
	if err != nil {
		log.Fatal(err)
	}
	config := oauth2.Config{
		ClientID:     ${literal(start.clientId)},
		ClientSecret: os.Getenv("CLIENT_SECRET"),
		Endpoint:     provider.Endpoint(),
		RedirectURL:  ${literal(start.redirectUri)},
		Scopes:       []string{${SCOPES}},
	}
	verifier := provider.Verifier(&oidc.Config{ClientID: config.ClientID})
	callback, _ := url.Parse(config.RedirectURL)

	http.HandleFunc("/sign-in", func(w http.ResponseWriter, r *http.Request) {
		state, pkce := oauth2.GenerateVerifier(), oauth2.GenerateVerifier()
		http.SetCookie(w, &http.Cookie{Name: "sign-in", Value: state + "." + pkce, Path: "/", MaxAge: 600,
			HttpOnly: true, SameSite: http.SameSiteLaxMode})
		http.Redirect(w, r, config.AuthCodeURL(state, oauth2.S256ChallengeOption(pkce)), http.StatusFound)
	})
	http.HandleFunc(cmp.Or(callback.Path, "/"), func(w http.ResponseWriter, r *http.Request) {
		cookie, err := r.Cookie("sign-in")
		if err != nil {
			http.Error(w, "Start at /sign-in.", http.StatusBadRequest)
			return
		}
		state, pkce, _ := strings.Cut(cookie.Value, ".")
		if r.FormValue("state") != state {
			http.Error(w, "The answer does not belong to this browser.", http.StatusBadRequest)
			return
		}
		tokens, err := config.Exchange(r.Context(), r.FormValue("code"), oauth2.VerifierOption(pkce))
		if err != nil {
			http.Error(w, "The sign-in failed.", http.StatusBadRequest)
			return
		}
		raw, _ := tokens.Extra("id_token").(string)
		user, err := verifier.Verify(r.Context(), raw)
		if err != nil {
			http.Error(w, "The sign-in failed.", http.StatusBadRequest)
			return
		}
		fmt.Fprintln(w, "Signed in as", user.Subject)
	})
	log.Fatal(http.ListenAndServe(":"+cmp.Or(callback.Port(), "3000"), nil))
}
`;

const native = (start: Start): string => `package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/url"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

func main() {
	ctx := context.Background()
	provider, err := oidc.NewProvider(ctx, ${literal(start.issuer)})
	if err != nil {
		log.Fatal(err)
	}
	config := oauth2.Config{
		ClientID:    ${literal(start.clientId)},
		Endpoint:    provider.Endpoint(),
		RedirectURL: ${literal(start.redirectUri)},
		Scopes:      []string{${SCOPES}},
	}
	config.Endpoint.AuthStyle = oauth2.AuthStyleInParams // It has no secret.
	state, pkce := oauth2.GenerateVerifier(), oauth2.GenerateVerifier()
	codes := make(chan string, 1)
	callback, _ := url.Parse(config.RedirectURL)
	go http.ListenAndServe(callback.Host, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("state") != state {
			http.Error(w, "The answer does not belong to this sign-in.", http.StatusBadRequest)
			return
		}
		fmt.Fprintln(w, "You can close this window.")
		codes <- r.FormValue("code")
	}))
	fmt.Println("Open", config.AuthCodeURL(state, oauth2.S256ChallengeOption(pkce)))

	tokens, err := config.Exchange(ctx, <-codes, oauth2.VerifierOption(pkce))
	if err != nil {
		log.Fatal(err)
	}
	raw, _ := tokens.Extra("id_token").(string)
	user, err := provider.Verifier(&oidc.Config{ClientID: config.ClientID}).Verify(ctx, raw)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("Signed in as", user.Subject)
}
`;

const machine = (start: Start): string => `package main

import (
	"context"
	"fmt"
	"log"
	"net/url"
	"os"
	"strings"

	"golang.org/x/oauth2/clientcredentials"
)

func main() {
	config := clientcredentials.Config{
		ClientID:       ${literal(start.clientId)},
		ClientSecret:   os.Getenv("CLIENT_SECRET"),
		TokenURL:       ${literal(`${start.issuer}/token`)},
		Scopes:         strings.Fields(${literal(start.scope)}),
		EndpointParams: url.Values{"resource": {${literal(start.resource)}}},
	}
	token, err := config.Token(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(token.AccessToken)
}
`;

const OIDC = 'go get github.com/coreos/go-oidc/v3 golang.org/x/oauth2';

const program = (install: string, code: string, needsSecret: boolean) => ({
  install,
  blocks: [{ file: 'main.go', code }, { code: `${needsSecret ? 'CLIENT_SECRET=… ' : ''}go run .` }],
});

export const go: Language = {
  id: 'go',
  name: 'Go',
  snippets: {
    Traditional: (start) => program(OIDC, web(start), true),
    Native: (start) => program(OIDC, native(start), false),
    MachineToMachine: (start) => program('go get golang.org/x/oauth2', machine(start), true),
  },
};
