import type { Scope } from '../../../domain/oauth/scope.ts'

/** What each scope allows an application to do. */
export const SCOPE_DESCRIPTIONS: Readonly<Record<Scope, string>> = {
  read: 'View your surveys, responses, contacts and reports',
  write: 'Create, edit and delete surveys, responses, contacts and reports, and send invitations',
}

/** Short names of the scopes. */
export const SCOPE_LABELS: Readonly<Record<Scope, string>> = { read: 'read', write: 'write' }
