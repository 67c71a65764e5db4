import type { Scope } from '../../../domain/oauth/scope.ts'
import { perLanguage, t } from '../../i18n/t.ts'

/** Descriptions of what each scope allows an application to do. */
export const SCOPE_DESCRIPTIONS: () => Readonly<Record<Scope, string>> = perLanguage(() => ({
  read: t('View your surveys, responses, contacts and reports'),
  write: t('Create, edit and delete surveys, responses, contacts and reports, and send invitations'),
}))

/** Short names of the scopes. */
export const SCOPE_LABELS: () => Readonly<Record<Scope, string>> = perLanguage(() => ({
  read: t('read'),
  write: t('write'),
}))
