import { domainToASCII } from 'node:url';
import { parsePhoneNumberFromString } from 'libphonenumber-js/min';

/** Maximum length of an email address in characters, the length of the column. */
const MAX_EMAIL = 128;
/** Maximum length of the part before the `@` in octets (RFC 5321 §4.5.3.1.1). */
const MAX_LOCAL_PART = 64;
/** An atom (RFC 5322 §3.2.3). Quoted local parts, comments and lists are not supported; no mailbox needs them. */
const ATOM = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+$/;
/** One label of a domain name, at most 63 characters (RFC 1035 §2.3.1). */
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * Text that may be passed to `domainToASCII`, which parses the host of a URL: it would cut off a path or a port and
 * decode `%63`.
 */
const DOMAIN_TEXT = /^(?:[a-z0-9.-]|[^\s!-~])+$/u;

/**
 * Returns the canonical spelling of an email address, or undefined if the text is not one: lower case, full-width
 * letters as ordinary ones, the domain in ASCII. Each mailbox has one identifier, and no mail program can read it
 * differently.
 */
export function normalEmail(text: string): string | undefined {
  if (text.length > 2 * MAX_EMAIL) return undefined;
  const folded = text.normalize('NFKC').trim().toLowerCase();
  const at = folded.lastIndexOf('@');
  const localPart = folded.slice(0, Math.max(at, 0));
  const domainText = folded.slice(at + 1);
  const domain = DOMAIN_TEXT.test(domainText) ? domainToASCII(domainText) : '';
  const email = `${localPart}@${domain}`;
  const labels = domain.split('.');
  const isLocalPart = localPart.length <= MAX_LOCAL_PART && localPart.split('.').every((atom) => ATOM.test(atom));
  // A domain that ends in a label of digits is an IP address, which `domainToASCII` accepts in many spellings.
  const isDomain = labels.every((label) => LABEL.test(label)) && !/^\d+$/.test(labels.at(-1) ?? '');
  const isComplete = labels.length > 1 || domain === 'localhost';
  return isLocalPart && isDomain && isComplete && email.length <= MAX_EMAIL ? email : undefined;
}

/** Longest text that can be a phone number, including spaces and punctuation. */
const MAX_PHONE_TEXT = 48;

/**
 * Returns the canonical spelling of a phone number: the digits of E.164, with the country code and without the trunk
 * prefix. Undefined if numbers of that country do not have this length. A number is read as international, with `+`,
 * `00` or neither.
 */
export function normalPhone(text: string): string | undefined {
  const typed = text.normalize('NFKC').trim();
  if (typed.length > MAX_PHONE_TEXT || !/^[+\d][\d\s()./-]*$/.test(typed)) return undefined;
  const digits = typed.replace(/\D/g, '').replace(/^00/, '');
  const number = parsePhoneNumberFromString(`+${digits}`);
  return number?.isPossible() ? number.number.slice(1) : undefined;
}
