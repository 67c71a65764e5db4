import { AccountSchema } from './account/account.ts'
import { ApiKeySchema } from './account/api-keys.ts'
import { CollectorSchema } from './collector/collector.ts'
import { EmbedSchema } from './collector/embeds.ts'
import { ContactFieldSchema, ContactListMemberSchema, ContactListSchema, ContactSchema } from './contact/contact.ts'
import { EmailMessageSchema, EmailSchema } from './email/email.ts'
import { GroupMemberSchema, GroupSchema } from './group/group.ts'
import { InviteSchema } from './invitation/codes.ts'
import { ApplicationSchema } from './oauth/applications.ts'
import { ReportSchema } from './report/report.ts'
import { SavedFilterSchema } from './response/filter/saved-filters.ts'
import { SurveyGroupSchema, SurveySchema, SurveyVersionSchema, TemplateSchema } from './survey/survey.ts'
import { WebhookSchema } from './webhook/webhook.ts'

/** All entities. Hand-written queries take the types of their tables from here (tables.ts). */
export const entities = [
  AccountSchema,
  ApiKeySchema,
  SurveySchema,
  SurveyVersionSchema,
  SavedFilterSchema,
  CollectorSchema,
  TemplateSchema,
  EmbedSchema,
  ReportSchema,
  WebhookSchema,
  ContactSchema,
  ContactFieldSchema,
  ContactListSchema,
  ContactListMemberSchema,
  GroupSchema,
  GroupMemberSchema,
  SurveyGroupSchema,
  InviteSchema,
  EmailSchema,
  EmailMessageSchema,
  ApplicationSchema,
] as const
