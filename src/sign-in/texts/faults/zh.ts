import type { FactorType, IdentifierType } from '../../settings.ts';
import { alternatives, type FaultTexts } from '../facts.ts';

export const UNCONFIRMED_PASSKEY = '您的设备未确认通行密钥。请重试或使用其他方式。';

const INVALID_FACTOR: Record<FactorType, string> = {
  Totp: '验证码错误或已被使用。请输入应用当前显示的验证码。',
  BackupCode: '备用码错误或已被使用。请输入其他备用码。',
  WebAuthn: UNCONFIRMED_PASSKEY,
};

const IDENTIFIERS: Record<IdentifierType, string> = {
  username: '用户名',
  email: '电子邮件地址',
  phone: '手机号码',
};

export const zhFaults: FaultTexts = {
  'identifier.invalid': ({ identifiers }) =>
    `请输入有效的${alternatives(
      identifiers.map((type) => IDENTIFIERS[type]),
      '或',
      '、',
    )}。`,
  'session.invalid_credentials': '用户名或密码错误。',
  'user.invalid_phone': '请输入包含国家/地区代码的完整手机号码，例如 +86 138 0013 8000。',
  'user.suspended': '此账号已被停用。请联系支持人员。',
  'user.username_already_in_use': '此用户名已被使用。请选择其他用户名。',
  'user.email_already_in_use': '此电子邮件地址属于另一个账号。请使用其他地址。',
  'user.phone_already_in_use': '此手机号码属于另一个账号。请使用其他号码。',
  'user.identity_already_in_use': ({ provider }) =>
    `此${provider ? ` ${provider} ` : ''}账号已关联到另一位用户。请使用其他账号。`,
  'verification_code.invalid': '验证码错误或已过期。请检查验证码，或获取新的验证码。',
  'verification_code.unavailable': '此处无法发送验证码。请使用其他方式。',
  'factor.invalid_code': ({ factor = 'Totp' }) => INVALID_FACTOR[factor],
  'factor.already_held': '您已有此类型的第二重验证方式。您可以在账号页面中更换。',
  'factor.is_last': '必须使用第二重验证，因此无法移除最后一种验证方式。请先添加另一种。',
  'password.too_short': ({ minPasswordLength }) => `密码至少需要 ${minPasswordLength} 个字符。`,
  'password.too_long': ({ maxPasswordLength }) => `密码最多 ${maxPasswordLength} 个字符。`,
  'password.too_common': '此密码太容易被猜到。请选择其他密码。',
  'session.social_failed': ({ provider = '身份提供商' }) => `${provider} 无法确认您的身份。请重试。`,
  'session.email_not_verified': ({ provider = '您的身份提供商' }) =>
    `${provider} 尚未验证您的电子邮件地址。请联系您组织的管理员。`,
  'session.sso_required': '此账号由您的组织管理。请使用该组织的身份提供商登录。',
  'session.not_allowed': '此处无法执行该操作。',
  'session.conflict': '此表单已提交两次。请从这里继续。',
  'request.unavailable': '服务繁忙。请在几秒钟后重试。',
};
