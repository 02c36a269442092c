import { expect, it } from 'vitest';
import { needsRehash, Passwords } from '../../src/sign-in/proofs/passwords.ts';
import { NotedPasswords } from './noted-passwords.ts';

const passwords = new Passwords();
const turn = { tenantId: 'default', isInteractive: true };

/** Digests of "correct horse" made with other tools, in the forms that are imported from other systems. */
const imported = {
  Argon2i: '$argon2i$v=19$m=4096,t=3,p=1$nJyiPzzKf8ykKiJyIw86rw$dtsioUb/2xd7JWWSLn5yw0YsLziKCn3azVL0icv8wdE',
  Bcrypt: '$2b$10$.w4ZM5bupvspWK7vRiT.6.N70Nfg32rySL1BJhJkuyu4P8f54.O62',
};

it('verifies only the password that was hashed', async () => {
  const digest = await passwords.hash('correct horse', turn);
  expect(digest).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(await passwords.verify(digest, 'correct horse', turn)).toBe(true);
  expect(await passwords.verify(digest, 'correct hors', turn)).toBe(false);
  expect(needsRehash(digest)).toBe(false);
});

it.each(Object.entries(imported))('verifies an imported %s digest and requests a rehash', async (_name, digest) => {
  expect(await passwords.verify(digest, 'correct horse', turn)).toBe(true);
  expect(await passwords.verify(digest, 'wrong', turn)).toBe(false);
  expect(needsRehash(digest)).toBe(true);
});

it('refuses every password if there is no readable digest', async () => {
  expect(await passwords.verify(null, '', turn)).toBe(false);
  expect(await passwords.verify(undefined, 'correct horse', turn)).toBe(false);
  expect(await passwords.verify('$argon2id$nonsense', 'correct horse', turn)).toBe(false);
});

it('does not accept the password of the digest that is computed in place of a missing one', async () => {
  for (const decoy of Object.values(imported)) {
    expect(await passwords.verify(undefined, 'correct horse', turn, decoy)).toBe(false);
    expect(
      await passwords.verify('$2b$31$.w4ZM5bupvspWK7vRiT.6.N70Nfg32rySL1BJhJkuyu4P8f54.O62', 'x', turn, decoy),
    ).toBe(false);
  }
});

it('computes the same hash for a missing account as for an existing one', async () => {
  const noted = new NotedPasswords();
  await noted.verify(await noted.hash('correct horse', turn), 'wrong', turn);
  const costs = noted.takeCosts();
  expect(costs).toHaveLength(1);
  await noted.verify(null, 'wrong', turn);
  expect(noted.takeCosts()).toEqual(costs);
});
