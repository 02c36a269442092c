import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Config, isLoopbackHost } from '../../src/config/index.ts';
import { AddressGuard } from '../../src/net/address-guard.ts';
import { type Finding, fault, ok, warning } from './finding.ts';

/** Findings from the environment variables alone, without any connection. */
export function configurationFindings(config: Config): Finding[] {
  const { endpoint, isLoopback, trustProxy, demo, messages } = config;
  const findings = [ok('configuration', `endpoint ${endpoint}`)];
  const isHttps = endpoint.startsWith('https:');
  if (!isHttps && !isLoopback)
    findings.push(
      fault(
        'configuration.endpoint',
        'ENDPOINT is http and not on this host: passwords, tokens and cookies are sent unencrypted.',
        'Put a TLS proxy in front, and set ENDPOINT to its https URL before the first start. After that: npm run cli -- change-address.',
      ),
    );
  if (isHttps && trustProxy === false)
    findings.push(
      warning(
        'configuration.proxy',
        'ENDPOINT is https, so there is a proxy, but TRUST_PROXY is false: all requests seem to come from the proxy.',
        'Set TRUST_PROXY to the address or network of the proxy, or to the number of proxies.',
      ),
    );
  if (trustProxy === true)
    findings.push(
      warning(
        'configuration.proxy',
        'TRUST_PROXY is true: any client that can reach the port can forge its address, also in the audit log.',
        'Set it to the address or network of the proxy, or to the number of proxies.',
      ),
    );
  if (demo && !isLoopback)
    findings.push(
      warning(
        'configuration.demo',
        'DEMO is true: the first start creates demonstration users with known usernames.',
        'Set DEMO=false. To remove existing ones: npm run cli -- remove-demo.',
      ),
    );
  if (!messages.smtpUrl && !messages.smsUrl && !isLoopback)
    findings.push(
      warning(
        'configuration.messages',
        'Neither SMTP_URL nor SMS_URL is set: users cannot register by email or reset a password.',
        'Set one, unless your users need no verification codes.',
      ),
    );
  return [...findings, ...guardFindings(config)];
}

/** Examples of addresses that are reachable from inside the network only. */
const INTERNAL_ADDRESSES = { '127.0.0.1': 'this host', '10.0.0.1': 'the private network 10.0.0.0/8' };

function guardFindings({ isLoopback, webhooks: { allowedNetworks, proxyUrl } }: Config): Finding[] {
  const guard = new AddressGuard({ allowedNetworks });
  const open = Object.entries(INTERNAL_ADDRESSES).filter(([address]) => guard.checkAddress(address) === undefined);
  if (proxyUrl && isLoopbackHost(new URL(proxyUrl).hostname) && !isLoopback)
    return [
      ok('webhooks.guard', 'webhooks are sent through a proxy on this host, which must refuse private addresses'),
    ];
  if (open.length === 0 || isLoopback)
    return [
      ok('webhooks.guard', `besides public addresses, webhooks may reach: ${allowedNetworks.join(', ') || 'none'}`),
    ];
  return [
    warning(
      'webhooks.guard',
      `Anyone who may create a webhook can send requests to ${open.map(([, what]) => what).join(' and ')}.`,
      'Narrow WEBHOOK_ALLOWED_NETWORKS to the hosts that receive webhooks, such as 10.1.2.3/32.',
    ),
  ];
}

const OTHER_USERS = 0o077;

/**
 * Checks that everything in `DATA_DIR` is readable by its owner only: keys, credentials, the database with its log,
 * messages.
 */
export async function fileFindings({ dataDir }: Config): Promise<Finding[]> {
  const closed = ok('files', `only the owner can read ${dataDir}`);
  const folder = await stat(dataDir).catch(() => undefined);
  // The folder is closed, so other users cannot reach the files.
  if (!folder || (folder.mode & OTHER_USERS) === 0) return [closed];
  const findings: Finding[] = [];
  for (const name of (await readdir(dataDir)).sort()) {
    const path = join(dataDir, name);
    const found = await stat(path).catch(() => undefined); // SQLite may have removed a file in the meantime.
    if (found && (found.mode & OTHER_USERS) !== 0)
      findings.push(
        fault(
          'files',
          `${path} is readable by other users of this host.`,
          `chmod 700 ${dataDir} && chmod -R go= ${path}`,
        ),
      );
  }
  return findings.length > 0 ? findings : [closed];
}

/** Returns the key that the service would start with, or undefined if it would create one. */
export async function configuredKey({ secretKey, dataDir }: Config): Promise<Buffer | undefined> {
  if (secretKey) return secretKey;
  const text = await readFile(join(dataDir, 'secret.key'), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : Buffer.from(text.trim(), 'base64');
}
