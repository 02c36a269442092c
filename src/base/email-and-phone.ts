import { domainToASCII } from 'node:url';
import { parsePhoneNumberFromString } from 'libphonenumber-js/min';

/** As long as the column is. */
const MAX_EMAIL = 128;
/** RFC 5321 §4.5.3.1.1. */
const MAX_LOCAL_PART = 64;
/** RFC 5322 §3.2.3: the atoms of a dot-atom. Quoted local parts, comments and lists are left out, as no mailbox needs them. */
const ATOM = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+$/;
/** RFC 1035 §2.3.1. */
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** `domainToASCII` reads a URL's host: it would cut off a path or a port, and decode `%63`. */
const DOMAIN_TEXT = /^(?:[a-z0-9.-]|[^\s!-~])+$/u;

/**
 * The one spelling of an e-mail address: lower case, full-width letters as ordinary ones, the domain in ASCII. So one
 * mailbox is one identifier, and one that a mail program cannot read differently. Undefined if it is not an address.
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
  // A last label of digits is that of an IP address, which `domainToASCII` has many spellings of.
  const isDomain = labels.every((label) => LABEL.test(label)) && !/^\d+$/.test(labels.at(-1) ?? '');
  const isComplete = labels.length > 1 || domain === 'localhost';
  return isLocalPart && isDomain && isComplete && email.length <= MAX_EMAIL ? email : undefined;
}

/** Characters that people put into a phone number besides its digits. Longer texts are not numbers. */
const MAX_PHONE_TEXT = 48;

/**
 * The one spelling of a phone number: the digits of E.164, with the country's code and without its trunk prefix. Undefined
 * if no number of that country has as many digits. A number is read as international, with `+`, `00` or neither.
 */
export function normalPhone(text: string): string | undefined {
  const typed = text.normalize('NFKC').trim();
  if (typed.length > MAX_PHONE_TEXT || !/^[+\d][\d\s()./-]*$/.test(typed)) return undefined;
  const digits = typed.replace(/\D/g, '').replace(/^00/, '');
  const number = parsePhoneNumberFromString(`+${digits}`);
  return number?.isPossible() ? number.number.slice(1) : undefined;
}
