import { expect, it } from 'vitest';
import { hashPassword, needsRehash, verifyPassword } from '../../src/sign-in/proofs/passwords.ts';

const turn = { tenantId: 'default', isInteractive: true };

/** Digests of "correct horse" made with other tools, in the forms that are imported from other systems. */
const imported = {
  Argon2i: '$argon2i$v=19$m=4096,t=3,p=1$nJyiPzzKf8ykKiJyIw86rw$dtsioUb/2xd7JWWSLn5yw0YsLziKCn3azVL0icv8wdE',
  Bcrypt: '$2b$10$.w4ZM5bupvspWK7vRiT.6.N70Nfg32rySL1BJhJkuyu4P8f54.O62',
};

it('verifies only the password that was hashed', async () => {
  const digest = await hashPassword('correct horse', turn);
  expect(digest).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(await verifyPassword(digest, 'correct horse', turn)).toBe(true);
  expect(await verifyPassword(digest, 'correct hors', turn)).toBe(false);
  expect(needsRehash(digest)).toBe(false);
});

it.each(Object.entries(imported))('verifies an imported %s digest and requests a rehash', async (_name, digest) => {
  expect(await verifyPassword(digest, 'correct horse', turn)).toBe(true);
  expect(await verifyPassword(digest, 'wrong', turn)).toBe(false);
  expect(needsRehash(digest)).toBe(true);
});

it('refuses every password if there is no readable digest', async () => {
  expect(await verifyPassword(null, '', turn)).toBe(false);
  expect(await verifyPassword(undefined, 'correct horse', turn)).toBe(false);
  expect(await verifyPassword('$argon2id$nonsense', 'correct horse', turn)).toBe(false);
});

it('does not accept the password of the digest that is computed in place of a missing one', async () => {
  for (const decoy of Object.values(imported)) {
    expect(await verifyPassword(undefined, 'correct horse', turn, decoy)).toBe(false);
    expect(await verifyPassword('$2b$31$.w4ZM5bupvspWK7vRiT.6.N70Nfg32rySL1BJhJkuyu4P8f54.O62', 'x', turn, decoy)).toBe(
      false,
    );
  }
});

it('takes as long for a missing account as for an existing one', async () => {
  const digest = await hashPassword('correct horse', turn);
  const least = { real: Number.POSITIVE_INFINITY, missing: Number.POSITIVE_INFINITY };
  for (let round = 0; round < 20; round += 1) {
    for (const [kind, given] of [
      ['real', digest],
      ['missing', null],
    ] as const) {
      const before = process.cpuUsage(); // CPU time, because a busy host adds waiting and not work.
      await verifyPassword(given, 'wrong', turn);
      const { user, system } = process.cpuUsage(before);
      least[kind] = Math.min(least[kind], user + system); // The minimum, because concurrent work only adds.
    }
  }
  expect(least.missing / least.real).toBeGreaterThan(0.7);
  expect(least.missing / least.real).toBeLessThan(1.4);
});
