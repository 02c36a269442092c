import type { Texts } from './en.ts';
import { alternatives } from './facts.ts';
import { plFaults, UNCONFIRMED_PASSKEY } from './faults/pl.ts';

const rules = new Intl.PluralRules('pl');

/** Returns the number with the form of the noun for 1, for 2 to 4, and for the others. */
const counted = (count: number, one: string, few: string, many: string): string => {
  const rule = rules.select(count);
  return `${count} ${rule === 'one' ? one : rule === 'few' ? few : many}`;
};

const minutesOf = (minutes: number): string => counted(minutes, 'minutę', 'minuty', 'minut');

export const pl: Texts = {
  language: 'pl',
  name: 'Polski',
  identifier: {
    username: 'Nazwa użytkownika',
    email: 'Adres e-mail',
    phone: 'Numer telefonu',
    any: (labels) =>
      alternatives(
        labels.map((label, index) => (index === 0 ? label : label.toLowerCase())),
        ' lub ',
      ),
  },
  common: {
    continue: 'Dalej',
    change: 'Zmień',
    back: 'Wstecz',
    empty: 'To pole jest wymagane.',
    or: 'lub',
    show: 'Pokaż',
    hide: 'Ukryj',
    copy: 'Kopiuj',
    copied: 'Skopiowano',
    signInInstead: 'Wróć do logowania',
    with: (name) => `Kontynuuj z ${name}`,
    language: 'Język',
  },
  legal: { terms: 'Warunki korzystania z usługi', privacy: 'Polityka prywatności' },
  signIn: {
    title: (brand) => `Zaloguj się do ${brand}`,
    for: (application) => `aby przejść do ${application}`,
    create: 'Utwórz konto',
    passwordChanged: 'Hasło zostało zmienione. Zaloguj się nowym hasłem.',
  },
  password: {
    title: 'Wpisz hasło',
    label: 'Hasło',
    submit: 'Zaloguj się',
    forgot: 'Nie pamiętasz hasła?',
    useCode: 'Wyślij mi kod',
  },
  code: {
    title: 'Wpisz kod',
    sent: (destination, { digits, minutes }) =>
      `Jeśli ${destination} może być tu używany, wysłaliśmy ${digits}-cyfrowy kod. Kod jest ważny przez ${minutesOf(minutes)}.`,
    label: (digits) => `${digits}-cyfrowy kod`,
    resend: 'Wyślij nowy kod',
    resendIn: 'Wyślij nowy kod za {seconds} s',
    usePassword: 'Użyj hasła',
  },
  register: {
    title: (brand) => `Utwórz konto ${brand}`,
    submit: 'Utwórz konto',
  },
  newPassword: {
    titleRegister: 'Wybierz hasło',
    titleReset: 'Wybierz nowe hasło',
    label: 'Nowe hasło',
    hint: (length) =>
      `Minimalna liczba znaków: ${length}. Kilka niepowiązanych słów łatwo zapamiętać i trudno odgadnąć.`,
    submitReset: 'Zmień hasło',
  },
  forgot: {
    title: 'Zresetuj hasło',
    lead: 'Wyślemy Ci kod, który pozwoli wybrać nowe hasło.',
    submit: 'Wyślij kod',
  },
  profile: {
    title: 'Uzupełnij konto',
    lead: (brand) => `Aby kontynuować, ${brand} potrzebuje tej informacji.`,
  },
  social: {
    exists: (email, provider) =>
      `Konto z adresem ${email} już istnieje. Potwierdź, że należy do Ciebie, aby odtąd logować się przez ${provider}.`,
  },
  singleSignOn: {
    title: (provider) => `Zaloguj się przez ${provider}`,
    lead: 'Tym kontem zarządza Twoja organizacja. Nie można się na nie zalogować hasłem ani kodem.',
  },
  mfa: {
    title: 'Potwierdź swoją tożsamość',
    totpLead: 'Wpisz kod z aplikacji uwierzytelniającej.',
    totpLabel: 'Kod z aplikacji',
    backupLead: 'Wpisz jeden z zapisanych kodów zapasowych. Każdy kod działa tylko raz.',
    backupLabel: 'Kod zapasowy',
    passkeyLead: 'Urządzenie poprosi o odcisk palca, twarz lub kod PIN.',
    passkeySubmit: 'Użyj klucza dostępu',
    passkeyFailed: UNCONFIRMED_PASSKEY,
    noScript: 'Klucze dostępu wymagają JavaScriptu. Włącz go lub użyj innej metody.',
    use: {
      Totp: 'Użyj aplikacji uwierzytelniającej',
      WebAuthn: 'Użyj klucza dostępu',
      BackupCode: 'Użyj kodu zapasowego',
    },
  },
  enrol: {
    title: 'Zabezpiecz konto',
    lead: 'Twoje konto wymaga drugiego składnika. Wybierz, jak będziesz potwierdzać swoją tożsamość.',
    names: { Totp: 'Aplikacja uwierzytelniająca', WebAuthn: 'Klucz dostępu', BackupCode: 'Kody zapasowe' },
    about: {
      Totp: 'Kody z aplikacji na telefonie',
      WebAuthn: 'Odcisk palca, twarz, kod PIN lub klucz bezpieczeństwa',
      BackupCode: 'Jednorazowe kody do przechowywania w bezpiecznym miejscu',
    },
    totpTitle: 'Skonfiguruj aplikację uwierzytelniającą',
    totpScan: 'Zeskanuj kod QR aplikacją uwierzytelniającą lub wpisz klucz ręcznie.',
    totpQr: 'Kod QR',
    totpKey: 'Klucz',
    totpLabel: 'Kod, który aplikacja pokazuje teraz',
    totpSubmit: 'Włącz',
    backupTitle: 'Zapisz kody zapasowe',
    backupLead:
      'Użyj jednego z tych kodów, aby się zalogować, gdy nie masz przy sobie drugiego urządzenia. Każdy kod działa tylko raz. Te kody nie zostaną pokazane ponownie.',
    backupSubmit: 'Kody zostały zapisane',
    passkeyTitle: 'Dodaj klucz dostępu',
    passkeyLead: 'Urządzenie poprosi o odcisk palca, twarz lub kod PIN i zapisze klucz dostępu do tej witryny.',
    passkeySubmit: 'Dodaj klucz dostępu',
    other: 'Użyj innej metody',
  },
  consent: {
    title: (application) => `Zezwolić aplikacji ${application} na dostęp do Twojego konta?`,
    lead: (application, brand) =>
      `${application} to aplikacja innej firmy, która nie jest częścią ${brand}. Aplikacja chce:`,
    scopes: {
      openid: 'wiedzieć, kim jesteś',
      profile: 'widzieć Twoje imię i nazwisko, zdjęcie i dane profilu',
      email: 'widzieć Twój adres e-mail',
      phone: 'widzieć Twój numer telefonu',
      address: 'widzieć Twój adres pocztowy',
      offline_access: 'zachować ten dostęp, gdy z niej nie korzystasz',
      custom_data: 'widzieć dane zapisane na Twoim koncie',
      identities: 'widzieć Twoje połączone konta',
      roles: 'widzieć Twoje role',
      'urn:logto:scope:organizations': 'widzieć Twoje organizacje',
      'urn:logto:scope:organization_roles': 'widzieć Twoje role w organizacjach',
    },
    at: (scope, resource) => `korzystać z uprawnienia ${scope} w ${resource}`,
    as: 'Zalogowano jako',
    allow: 'Zezwól',
    deny: 'Odmów',
  },
  home: {
    title: (brand) => `Witamy w ${brand}`,
    lead: 'Aplikacje kierują tu swoich użytkowników, aby się zalogowali.',
    console: ['Konsola', 'Dla administratorów: użytkownicy, aplikacje, działanie w imieniu użytkowników'],
    account: ['Twoje konto', 'Profil, hasło, drugie składniki, sesje'],
    reference: ['Dokumentacja API', 'Dla programistów: Management API'],
    discovery: ['Konfiguracja OpenID Connect', 'Dla programistów: punkty końcowe i klucze'],
  },
  signOut: {
    title: (brand) => `Wylogować się z ${brand}?`,
    submit: 'Wyloguj się',
    stay: 'Nie wylogowuj',
    doneTitle: 'Wylogowano',
    done: 'Możesz zamknąć to okno.',
  },
  error: {
    signInTitle: 'Ten link do logowania jest nieprawidłowy',
    signOutTitle: 'Ten link do wylogowania jest nieprawidłowy',
    request:
      'Wróć do aplikacji i spróbuj ponownie. Jeśli problem się powtarza, skontaktuj się z jej pomocą techniczną.',
    busyTitle: 'Usługa jest przeciążona',
    busy: 'Poczekaj kilka sekund i odśwież stronę. Niczego nie stracisz.',
    expiredTitle: 'Ta strona wygasła',
    expired: 'Wróć do aplikacji i zacznij od nowa.',
  },
  mail: {
    subject: (code, brand) => `${code} to Twój kod do ${brand}`,
    text: (code, brand, { minutes }) =>
      `${code} to Twój kod do ${brand}. Jest ważny przez ${minutesOf(minutes)} i działa tylko raz.\n\nJeśli ten kod nie był Ci potrzebny, zignoruj tę wiadomość. Nie udostępniaj nikomu tego kodu.`,
    sms: (code, brand, { minutes }) => `${code} to Twój kod do ${brand}. Jest ważny przez ${minutesOf(minutes)}.`,
  },
  notice: {
    subject: (brand) => `Zmiana na Twoim koncie ${brand}`,
    text: (change, brand) =>
      `Zmiana na Twoim koncie ${brand}: ${change}.\n\nJeśli to Ty, nie musisz nic robić. Jeśli nie, zresetuj hasło i skontaktuj się z ${brand}.`,
    sms: (change, brand) => `Zmiana na Twoim koncie ${brand}: ${change}. Jeśli to nie Ty, skontaktuj się z ${brand}.`,
    changes: {
      Username: 'zmieniono nazwę użytkownika',
      Email: 'zmieniono adres e-mail',
      Phone: 'zmieniono numer telefonu',
      Password: 'zmieniono hasło',
      AddFactor: 'dodano drugi składnik',
      RemoveFactor: 'usunięto drugi składnik',
      Link: 'połączono konto u dostawcy tożsamości',
      Unlink: 'odłączono konto u dostawcy tożsamości',
    },
  },
  account: {
    title: 'Twoje konto',
    profile: 'Profil',
    name: 'Imię i nazwisko',
    save: 'Zapisz',
    saved: 'Zapisano.',
    notSet: 'Nie ustawiono',
    notLinked: 'Nie połączono',
    add: 'Dodaj',
    remove: 'Usuń',
    removeTitle: (name) => `Usunąć: ${name}?`,
    signInWith: 'Metody logowania',
    passwordSet: 'Zmień hasło',
    passwordNone: 'Ustaw hasło',
    currentPassword: 'Obecne hasło',
    wrongPassword: 'Nieprawidłowe hasło.',
    linked: 'Połączone konta',
    linkTitle: (provider) => `Połączyć z ${provider}?`,
    linkLead: (identity, provider) =>
      `Każdy, kto zaloguje się do ${provider} jako ${identity}, będzie mógł zalogować się na to konto. Kontynuuj tylko, jeśli to Ty.`,
    linkSubmit: 'Połącz konto',
    unlinkLead: (identity) => `${identity} nie będzie już mieć możliwości logowania się na to konto.`,
    factors: 'Drugie składniki',
    factorsLead: 'Drugi składnik chroni konto, nawet jeśli ktoś zna Twoje hasło.',
    addedOn: (date) => `dodano ${date}`,
    codesLeft: (count) => `pozostało: ${counted(count, 'kod', 'kody', 'kodów')}`,
    sessions: 'Gdzie jesteś zalogowany',
    thisBrowser: 'Ta przeglądarka',
    otherBrowser: 'Inna przeglądarka',
    since: (date) => `od ${date}`,
    signOutOthers: 'Wyloguj wszędzie indziej',
  },
  faults: plFaults,
  retryInSeconds: (seconds) =>
    `Zbyt wiele prób. Spróbuj ponownie za ${counted(seconds, 'sekundę', 'sekundy', 'sekund')}.`,
  retryInMinutes: (minutes) => `Zbyt wiele prób. Spróbuj ponownie za ${minutesOf(minutes)}.`,
  otherFault: 'Wystąpił błąd. Spróbuj ponownie.',
};
