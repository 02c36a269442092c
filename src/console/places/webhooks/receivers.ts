import { html } from '../../../pages/html.ts';
import { copyable, section } from '../../parts/parts.ts';
import { type Page, page } from '../../route.ts';

/** Complete example receivers with the official Standard Webhooks libraries, the same as in `docs/webhooks.md`. */
interface Receiver {
  language: string;
  install: string;
  code: string;
}

export const receivers: readonly Receiver[] = [
  {
    language: 'Node.js',
    install: 'npm i standardwebhooks express',
    code: `import express from 'express';
import { Webhook } from 'standardwebhooks';

const webhook = new Webhook(process.env.WEBHOOK_SECRET); // whsec_…

express()
  .post('/hook', express.raw({ type: 'application/json' }), (request, response) => {
    try {
      const event = webhook.verify(request.body.toString(), request.headers);
      console.log(event.event, request.headers['webhook-id']);
      response.sendStatus(204);
    } catch {
      response.sendStatus(401);
    }
  })
  .listen(4000);
`,
  },
  {
    language: 'Python',
    install: 'pip install standardwebhooks flask',
    code: `import os
from flask import Flask, request
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

app = Flask(__name__)
webhook = Webhook(os.environ["WEBHOOK_SECRET"])

@app.post("/hook")
def hook():
    try:
        event = webhook.verify(request.get_data(), dict(request.headers))
    except WebhookVerificationError:
        return "", 401
    print(event["event"], request.headers["webhook-id"])
    return "", 204
`,
  },
  {
    language: 'Go',
    install: 'go get github.com/standard-webhooks/standard-webhooks/libraries',
    code: `package main

import (
	"io"
	"log"
	"net/http"
	"os"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

func main() {
	webhook, err := standardwebhooks.NewWebhook(os.Getenv("WEBHOOK_SECRET"))
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("/hook", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || webhook.Verify(body, r.Header) != nil {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		log.Println(r.Header.Get("webhook-id"), string(body))
		w.WriteHeader(http.StatusNoContent)
	})
	log.Fatal(http.ListenAndServe(":4000", nil))
}
`,
  },
];

const showVerify = (): Page => ({
  title: 'Verify signatures',
  lead: 'Verify every request. Otherwise anyone could forge events. The official Standard Webhooks libraries do it in two lines.',
  content: html`<p>Each example is a complete receiver. It reads the signing secret from the environment variable ${copyable('WEBHOOK_SECRET')}: the value that starts with <code class="mono">whsec_</code>, shown when you create a webhook or rotate its secret. The libraries also reject requests older than five minutes.</p>
${receivers.map(({ language, install, code }) =>
  section(
    language,
    html`<p>${copyable(install)}</p><div class="raw-body"><button type="button" class="button compact" hidden data-copy="${code}" aria-label="Copy the code for ${language}">Copy</button><pre class="mono" tabindex="0">${code}</pre></div>`,
  ),
)}`,
});

export const verifyPage = page('/webhooks/verify', showVerify);
