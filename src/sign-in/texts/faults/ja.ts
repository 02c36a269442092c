import type { FactorType, IdentifierType } from '../../settings.ts';
import { alternatives, type FaultTexts } from '../facts.ts';

export const UNCONFIRMED_PASSKEY =
  'デバイスでパスキーを確認できませんでした。もう一度お試しになるか、別の方法を使用してください。';

const INVALID_FACTOR: Record<FactorType, string> = {
  Totp: 'コードが正しくないか、すでに使用されています。アプリに現在表示されているコードを入力してください。',
  BackupCode: 'バックアップコードが正しくないか、すでに使用されています。別のコードを入力してください。',
  WebAuthn: UNCONFIRMED_PASSKEY,
};

const IDENTIFIERS: Record<IdentifierType, string> = {
  username: 'ユーザー名',
  email: 'メールアドレス',
  phone: '電話番号',
};

export const jaFaults: FaultTexts = {
  'identifier.invalid': ({ identifiers }) =>
    `有効な${alternatives(
      identifiers.map((type) => IDENTIFIERS[type]),
      'または',
      '、',
    )}を入力してください。`,
  'session.invalid_credentials': 'ユーザー名またはパスワードが正しくありません。',
  'user.invalid_phone': '国番号を含む完全な電話番号を入力してください（例：+81 90 1234 5678）。',
  'user.suspended': 'このアカウントは停止されています。サポートにお問い合わせください。',
  'user.username_already_in_use': 'このユーザー名はすでに使用されています。別のユーザー名を選択してください。',
  'user.email_already_in_use':
    'このメールアドレスは別のアカウントで使用されています。別のメールアドレスを使用してください。',
  'user.phone_already_in_use': 'この電話番号は別のアカウントで使用されています。別の電話番号を使用してください。',
  'user.identity_already_in_use': ({ provider }) =>
    `この${provider ? ` ${provider} ` : ''}アカウントはすでに別のユーザーにリンクされています。別のアカウントを使用してください。`,
  'verification_code.invalid':
    'コードが正しくないか、有効期限が切れています。コードを確認するか、新しいコードをリクエストしてください。',
  'verification_code.unavailable': 'ここではコードを送信できません。別の方法を使用してください。',
  'factor.invalid_code': ({ factor = 'Totp' }) => INVALID_FACTOR[factor],
  'factor.already_held': 'この種類の第 2 要素はすでに設定されています。アカウントページで置き換えることができます。',
  'factor.is_last': '第 2 要素が必須のため、最後の要素は削除できません。先に別の要素を追加してください。',
  'password.too_short': ({ minPasswordLength }) => `${minPasswordLength} 文字以上で入力してください。`,
  'password.too_long': ({ maxPasswordLength }) => `${maxPasswordLength} 文字以内で入力してください。`,
  'password.too_common': 'このパスワードは推測されやすいため使用できません。別のパスワードを選択してください。',
  'session.social_failed': ({ provider = 'ID プロバイダー' }) =>
    `${provider} で本人確認ができませんでした。もう一度お試しください。`,
  'session.email_not_verified': ({ provider = 'ID プロバイダー' }) =>
    `${provider} でメールアドレスが確認されていません。組織の管理者にお問い合わせください。`,
  'session.sso_required':
    'このアカウントは組織によって管理されています。組織の ID プロバイダーでログインしてください。',
  'session.not_allowed': 'この操作はここでは利用できません。',
  'session.conflict': 'このフォームは 2 回送信されました。ここから続行してください。',
  'request.unavailable': 'サービスが混み合っています。数秒後にもう一度お試しください。',
};
