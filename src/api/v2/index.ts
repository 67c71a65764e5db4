import { readFileSync } from 'node:fs'
import type { Contract } from '../engine/contract.ts'
import type { Handlers, Version } from '../engine/operation.ts'
import { responseOperations } from '../response-operations.ts'
import * as accounts from './accounts.ts'
import * as collectors from './collectors.ts'
import * as contacts from './contacts.ts'
import * as emails from './emails.ts'
import * as groups from './groups.ts'
import { errorReply } from './http-error.ts'
import type { operations } from './operation.ts'
import * as reports from './reports.ts'
import * as responses from './responses.ts'
import * as surveys from './surveys.ts'
import * as webhooks from './webhooks.ts'

const handlers: Handlers<operations> = {
  ...accounts,
  ...collectors,
  ...contacts,
  ...contacts,
  ...responses,
  ...groups,
  ...reports,
  ...emails,
  ...emails,
  ...responses,
  ...surveys,
  ...webhooks,
}

const contract: Contract = JSON.parse(
  readFileSync(new URL('../../../generated/v2/openapi.json', import.meta.url), 'utf8'),
)

export const v2: Version = {
  prefix: '/api/v2',
  contract,
  handlers,
  ...responseOperations,
  errorReply,
}
