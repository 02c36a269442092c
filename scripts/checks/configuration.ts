import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Config, isLoopbackHost } from '../../src/config/index.ts';
import { AddressGuard } from '../../src/net/address-guard.ts';
import { type Finding, fault, ok, warning } from './finding.ts';

/** What can be said of the variables without asking anybody. */
export function configurationFindings(config: Config): Finding[] {
  const { endpoint, isLoopback, trustProxy, demo, messages } = config;
  const findings = [ok('configuration', `endpoint ${endpoint}`)];
  const isHttps = endpoint.startsWith('https:');
  if (!isHttps && !isLoopback)
    findings.push(
      fault(
        'configuration.endpoint',
        'ENDPOINT is http and not of this machine: passwords, tokens and cookies travel in the clear.',
        'Put a proxy in front that speaks TLS, and set ENDPOINT to its https URL before the first start; later, npm run cli -- change-address.',
      ),
    );
  if (isHttps && trustProxy === false)
    findings.push(
      warning(
        'configuration.proxy',
        'ENDPOINT is https, so a proxy stands in front, but TRUST_PROXY is false: all requests seem to come from it.',
        'Set TRUST_PROXY to the address or network of the proxy, or to the number of proxies.',
      ),
    );
  if (trustProxy === true)
    findings.push(
      warning(
        'configuration.proxy',
        'TRUST_PROXY is true: whoever reaches the port can say who they are, and is in the audit log as that.',
        'Set it to the address or network of the proxy, or to the number of proxies.',
      ),
    );
  if (demo && !isLoopback)
    findings.push(
      warning(
        'configuration.demo',
        'DEMO is true: the first start makes people with known names.',
        'Set DEMO=false; npm run cli -- remove-demo takes them away.',
      ),
    );
  if (!messages.smtpUrl && !messages.smsUrl && !isLoopback)
    findings.push(
      warning(
        'configuration.messages',
        'Neither SMTP_URL nor SMS_URL is set: nobody can register by e-mail or reset a password.',
        'Set one, unless people sign in by other means only.',
      ),
    );
  return [...findings, ...guardFindings(config)];
}

/** Addresses that only somebody inside may reach. */
const INSIDE = { '127.0.0.1': 'this machine itself', '10.0.0.1': 'the private network 10.0.0.0/8' };

function guardFindings({ isLoopback, webhooks: { allowedNetworks, proxyUrl } }: Config): Finding[] {
  const guard = new AddressGuard({ allowedNetworks });
  const open = Object.entries(INSIDE).filter(([address]) => guard.checkAddress(address) === undefined);
  if (proxyUrl && isLoopbackHost(new URL(proxyUrl).hostname) && !isLoopback)
    return [ok('webhooks.guard', 'webhooks go through a proxy on this machine, which must refuse private addresses')];
  if (open.length === 0 || isLoopback)
    return [ok('webhooks.guard', `beside public addresses webhooks may reach ${allowedNetworks.join(', ') || 'none'}`)];
  return [
    warning(
      'webhooks.guard',
      `Whoever may make a webhook can have requests sent to ${open.map(([, what]) => what).join(' and ')}.`,
      'Narrow WEBHOOK_ALLOWED_NETWORKS to the hosts that receive webhooks, such as 10.1.2.3/32.',
    ),
  ];
}

const OTHERS = 0o077;

/** Everything in `DATA_DIR` is for its owner alone: keys, credentials, the database with its log, messages. */
export async function fileFindings({ dataDir }: Config): Promise<Finding[]> {
  const alone = ok('files', `${dataDir} is its owner's alone`);
  const folder = await stat(dataDir).catch(() => undefined);
  if (!folder || (folder.mode & OTHERS) === 0) return [alone]; // Nobody else gets as far as the files.
  const findings: Finding[] = [];
  for (const name of (await readdir(dataDir)).sort()) {
    const path = join(dataDir, name);
    const found = await stat(path).catch(() => undefined); // A file of SQLite's may be gone again.
    if (found && (found.mode & OTHERS) !== 0)
      findings.push(
        fault(
          'files',
          `${path} can be read by others on this machine.`,
          `chmod 700 ${dataDir} && chmod -R go= ${path}`,
        ),
      );
  }
  return findings.length > 0 ? findings : [alone];
}

/** The key that the service would start with; undefined when it would make one. */
export async function keyInUse({ secretKey, dataDir }: Config): Promise<Buffer | undefined> {
  if (secretKey) return secretKey;
  const text = await readFile(join(dataDir, 'secret.key'), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : Buffer.from(text.trim(), 'base64');
}
