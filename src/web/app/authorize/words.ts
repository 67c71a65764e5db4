import type { Scope } from '../../../domain/oauth/scope.ts'

/** What a scope lets an application do, as people would say it. */
export const does: Readonly<Record<Scope, string>> = {
  read: 'See your surveys, responses, contacts and reports',
  write: 'Make, change and delete them, and send invitations',
}

/** The same in a word or two. */
export const short: Readonly<Record<Scope, string>> = { read: 'sees', write: 'changes' }
