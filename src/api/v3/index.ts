import { readFileSync } from 'node:fs'
import type { Contract } from '../engine/contract.ts'
import type { Handlers, Version } from '../engine/operation.ts'
import { responseOperations } from '../response-operations.ts'
import * as activity from './activity.ts'
import * as coding from './coding.ts'
import * as collectors from './collectors.ts'
import * as contacts from './contacts.ts'
import { getCrossTable } from './cross-table.ts'
import { draftLocks } from './draft-locks.ts'
import * as drafts from './drafts.ts'
import { getFieldwork } from './fieldwork.ts'
import * as gallery from './gallery.ts'
import { compareGroups } from './groups.ts'
import { errorReply } from './http-error.ts'
import * as imports from './imports.ts'
import * as invitations from './invitations.ts'
import type { operations } from './operation.ts'
import * as questions from './questions.ts'
import * as reports from './reports.ts'
import * as responses from './responses.ts'
import * as review from './review.ts'
import * as surveys from './surveys.ts'
import * as team from './team.ts'
import { getTrend } from './trend.ts'
import * as users from './users.ts'
import * as webhooks from './webhooks.ts'
import * as weights from './weights.ts'

const handlers: Handlers<operations> = {
  getCrossTable,
  getFieldwork,
  ...coding,
  compareGroups,
  getTrend,
  ...weights,
  ...surveys,
  ...collectors,
  ...contacts,
  ...contacts,
  ...responses,
  ...drafts,
  ...invitations,
  ...collectors,
  ...responses,
  ...responses,
  ...gallery,
  ...imports,
  ...invitations,
  ...responses,
  ...surveys,
  ...webhooks,
  ...questions,
  ...surveys,
  ...drafts,
  ...drafts,
  ...webhooks,
  ...surveys,
  ...reports,
  ...responses,
  ...surveys,
  ...surveys,
  ...gallery,
  ...surveys,
  ...surveys,
  ...users,
  ...team,
  ...activity,
  ...review,
}

const contract: Contract = JSON.parse(
  readFileSync(new URL('../../../generated/v3/openapi.json', import.meta.url), 'utf8'),
)

export const v3: Version = {
  prefix: '/api/v3',
  contract,
  handlers,
  ...responseOperations,
  locks: { ...responseOperations.locks, ...draftLocks },
  // The checks of an uploaded file or image can take a minute, which is too long for a transaction.
  ownTransactions: {
    ...responseOperations.ownTransactions,
    createFile: (context) => context,
    createImage: (context) => context,
    // Files are read in another process, which can take ten seconds.
    importSurvey: (context) => context,
  },
  withoutEffect: new Set(['convertXlsform', 'previewImport', 'rehearseSurvey']),
  uploads: new Set(['createFile', 'createImage']),
  errorReply,
}
