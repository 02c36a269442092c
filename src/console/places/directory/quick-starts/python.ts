import { type Language, literal, SIGN_IN_SCOPE, type Start } from './start.ts';

const portOf = ({ redirectUri }: Start): string => URL.parse(redirectUri)?.port || '5000';
const pathOf = ({ redirectUri }: Start): string => URL.parse(redirectUri)?.pathname ?? '/callback';

const web = (start: Start): string => `import os

from authlib.integrations.flask_client import OAuth
from flask import Flask

app = Flask(__name__)
app.secret_key = os.urandom(32)  # Signs the session cookie. Use a fixed one if you run several processes.
oauth = OAuth(app)
oauth.register(
    "understudy",
    client_id=${literal(start.clientId)},
    client_secret=os.environ["CLIENT_SECRET"],
    server_metadata_url=${literal(`${start.issuer}/.well-known/openid-configuration`)},
    client_kwargs={"scope": ${literal(SIGN_IN_SCOPE)}, "code_challenge_method": "S256"},
)


@app.get("/sign-in")
def sign_in():
    return oauth.understudy.authorize_redirect(${literal(start.redirectUri)})


@app.get(${literal(pathOf(start))})
def callback():
    token = oauth.understudy.authorize_access_token()
    return "Signed in as " + token["userinfo"]["sub"]
`;

const native = (start: Start): string => `import http.server
from urllib.parse import parse_qs, urlsplit

from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session

ISSUER = ${literal(start.issuer)}
REDIRECT_URI = ${literal(start.redirectUri)}

session = OAuth2Session(
    ${literal(start.clientId)},
    scope=${literal(SIGN_IN_SCOPE)},
    redirect_uri=REDIRECT_URI,
    code_challenge_method="S256",
    token_endpoint_auth_method="none",
)
verifier = generate_token(48)
url, state = session.create_authorization_url(ISSUER + "/auth", code_verifier=verifier)
answer = {}


class Callback(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        answer.update(parse_qs(urlsplit(self.path).query))
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"You can close this window.")


address = urlsplit(REDIRECT_URI)
with http.server.HTTPServer((address.hostname, address.port or 80), Callback) as server:
    print("Open", url, flush=True)
    server.handle_request()
if answer.get("state") != [state]:
    raise SystemExit("The answer does not belong to this sign-in.")
session.fetch_token(ISSUER + "/token", code=answer["code"][0], code_verifier=verifier)
print("Signed in as", session.get(ISSUER + "/me").json()["sub"])
`;

const machine = (start: Start): string => `import os

import requests

response = requests.post(
    ${literal(`${start.issuer}/token`)},
    auth=(${literal(start.clientId)}, os.environ["CLIENT_SECRET"]),
    data={
        "grant_type": "client_credentials",
        "resource": ${literal(start.resource)},
        "scope": ${literal(start.scope)},
    },
    timeout=10,
)
response.raise_for_status()
print(response.json()["access_token"])
`;

export const python: Language = {
  id: 'python',
  name: 'Python',
  snippets: {
    Traditional: (start) => ({
      install: 'pip install authlib flask requests',
      blocks: [
        { file: 'app.py', code: web(start) },
        { code: `CLIENT_SECRET=… flask run --port ${portOf(start)}  # Then open /sign-in.` },
      ],
    }),
    Native: (start) => ({
      install: 'pip install authlib requests',
      blocks: [{ file: 'sign_in.py', code: native(start) }, { code: 'python sign_in.py' }],
    }),
    MachineToMachine: (start) => ({
      install: 'pip install requests',
      blocks: [{ file: 'get_token.py', code: machine(start) }, { code: 'CLIENT_SECRET=… python get_token.py' }],
    }),
  },
};
