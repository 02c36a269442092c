import type { FactorType, IdentifierType } from '../../settings.ts';
import { alternatives, type FaultTexts } from '../facts.ts';

export const UNCONFIRMED_PASSKEY =
  'Seu dispositivo não confirmou a chave de acesso. Tente novamente ou use outro método.';

const INVALID_FACTOR: Record<FactorType, string> = {
  Totp: 'Este código está incorreto ou já foi usado. Digite o código que o app mostra agora.',
  BackupCode: 'Este código de backup está incorreto ou já foi usado. Digite outro.',
  WebAuthn: UNCONFIRMED_PASSKEY,
};

const IDENTIFIERS: Record<IdentifierType, string> = {
  username: 'nome de usuário',
  email: 'e-mail',
  phone: 'número de telefone',
};

export const ptFaults: FaultTexts = {
  'identifier.invalid': ({ identifiers }) =>
    `Digite um ${alternatives(
      identifiers.map((type) => IDENTIFIERS[type]),
      ' ou ',
    )} válido.`,
  'session.invalid_credentials': 'Nome de usuário ou senha incorretos.',
  'user.invalid_phone': 'Digite o número completo com o código do país, por exemplo +55 11 91234-5678.',
  'user.suspended': 'Esta conta está suspensa. Entre em contato com o suporte.',
  'user.username_already_in_use': 'Este nome de usuário já está em uso. Escolha outro.',
  'user.email_already_in_use': 'Este e-mail pertence a outra conta. Use outro.',
  'user.phone_already_in_use': 'Este número de telefone pertence a outra conta. Use outro.',
  'user.identity_already_in_use': ({ provider }) =>
    `Esta conta${provider ? ` ${provider}` : ''} já está vinculada a outro usuário. Use outra.`,
  'verification_code.invalid': 'Este código está incorreto ou expirou. Verifique-o ou solicite um novo.',
  'verification_code.unavailable': 'Não é possível enviar códigos aqui. Use outro método.',
  'factor.invalid_code': ({ factor = 'Totp' }) => INVALID_FACTOR[factor],
  'factor.already_held': 'Você já tem um segundo fator deste tipo. É possível substituí-lo na página da sua conta.',
  'factor.is_last': 'Um segundo fator é obrigatório, por isso você não pode remover o último. Adicione outro primeiro.',
  'password.too_short': ({ minPasswordLength }) => `Use pelo menos ${minPasswordLength} caracteres.`,
  'password.too_long': ({ maxPasswordLength }) => `Use no máximo ${maxPasswordLength} caracteres.`,
  'password.too_common': 'Esta senha é muito fácil de adivinhar. Escolha outra.',
  'session.social_failed': ({ provider = 'O provedor de identidade' }) =>
    `${provider} não conseguiu confirmar sua identidade. Tente novamente.`,
  'session.email_not_verified': ({ provider = 'Seu provedor de identidade' }) =>
    `${provider} não verificou seu e-mail. Entre em contato com o administrador da sua organização.`,
  'session.sso_required': 'Sua organização gerencia esta conta. Entre com o provedor de identidade dela.',
  'session.not_allowed': 'Isto não está disponível aqui.',
  'session.conflict': 'Este formulário foi enviado duas vezes. Continue a partir daqui.',
  'request.unavailable': 'O serviço está ocupado. Tente novamente em alguns segundos.',
};
