import { describe, expect, it } from 'vitest';
import { ConfigError, readConfig } from '../src/config/index.ts';
import { LAYERS } from '../src/script-runners/process/hardening.ts';

describe('configuration', () => {
  const faultsOf = (env: NodeJS.ProcessEnv): string[] => {
    try {
      readConfig(env);
      return [];
    } catch (error) {
      return (error as ConfigError).faults;
    }
  };

  it('refuses script hosts that no request could match', () => {
    const hosts = [
      'https://api.example.com',
      'api.example.com/',
      'api.example.com:443',
      'a b',
      '*',
      '*.',
      'münchen.de',
    ];
    for (const host of hosts) expect([host, faultsOf({ SCRIPT_FETCH_ALLOWED_HOSTS: host }).length]).toEqual([host, 1]);
    const allowed = 'api.example.com,*.example.com,API.Example.com,10.0.0.1,[::1],localhost,my_service';
    expect(faultsOf({ SCRIPT_FETCH_ALLOWED_HOSTS: allowed })).toEqual([]);
  });

  it('refuses the same port for the service and its metrics', () => {
    expect(faultsOf({ PORT: '4811', METRICS_PORT: '4811' })).toEqual(['METRICS_PORT: expected another port than PORT']);
    expect(faultsOf({ METRICS_PORT: '3000' })).toHaveLength(1);
    expect(faultsOf({ PORT: '0', METRICS_PORT: '0' })).toEqual([]);
  });

  it('refuses an unknown sandbox layer and accepts every known one', () => {
    expect(faultsOf({ SANDBOX_REQUIRE: 'magic' })).toEqual([expect.stringContaining('jitless')]);
    expect(faultsOf({ SANDBOX_REQUIRE: LAYERS.join(',') })).toEqual([]);
  });

  it('requires a secret key for PostgreSQL with a public endpoint', () => {
    const env = { DATABASE_URL: 'postgres://localhost/x', ENDPOINT: 'https://id.example.com' };
    expect(() => readConfig(env)).toThrow(ConfigError);
    expect(readConfig({ ...env, SECRET_KEY: Buffer.alloc(32).toString('base64') })).toMatchObject({
      isLoopback: false,
      demo: false,
    });
  });

  it('allows webhooks to loopback only while the endpoint is loopback and no networks are configured', () => {
    expect(readConfig({}).webhooks).toMatchObject({
      loopbackByDefault: true,
      allowedNetworks: ['127.0.0.0/8', '::1/128'],
    });
    expect(readConfig({ WEBHOOK_ALLOWED_NETWORKS: '10.0.0.0/8' }).webhooks.allowedNetworks).toEqual(['10.0.0.0/8']);
    expect(readConfig({ ENDPOINT: 'https://id.example.com' }).webhooks.allowedNetworks).toEqual([]);
  });
});
