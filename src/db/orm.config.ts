import { Migrator } from '@mikro-orm/migrations'
import { defineConfig } from '@mikro-orm/postgresql'
import { AccountSchema } from '../domain/account/account.ts'
import { ApiKeySchema } from '../domain/account/api-key.ts'
import { CollectorSchema } from '../domain/collector/collector.ts'
import { EmbedSchema } from '../domain/collector/embed.ts'
import { ContactSchema } from '../domain/contact/contact.ts'
import { ContactFieldSchema } from '../domain/contact/contact-field.ts'
import { ContactListSchema } from '../domain/contact/contact-list.ts'
import { ContactListMemberSchema } from '../domain/contact/contact-list-member.ts'
import { EmailSchema } from '../domain/email/email.ts'
import { EmailMessageSchema } from '../domain/email/email-message.ts'
import { GroupSchema } from '../domain/group/group.ts'
import { GroupMemberSchema } from '../domain/group/group-member.ts'
import { InviteSchema } from '../domain/invitation/invite.ts'
import { ApplicationSchema } from '../domain/oauth/application.ts'
import { ReportSchema } from '../domain/report/report.ts'
import { SavedFilterSchema } from '../domain/response/filter/saved-filter.ts'
import { SurveySchema } from '../domain/survey/survey.ts'
import { SurveyGroupSchema } from '../domain/survey/survey-group.ts'
import { TemplateSchema } from '../domain/survey/template.ts'
import { SurveyVersionSchema } from '../domain/survey/version.ts'
import { WebhookSchema } from '../domain/webhook/webhook.ts'

/**
 * The configuration of MikroORM, also for its command line (`make migration`). Migrations create the tables of the hot paths
 * (responses and their counters) by hand, without entities.
 */
export default defineConfig({
  clientUrl: process.env.DATABASE_URL ?? 'postgres://localhost/canvass',
  entities: [
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
  ],
  extensions: [Migrator],
  forceUtcTimezone: true,
  metadataCache: { enabled: false },
  schemaGenerator: {
    skipTables: [
      /^response/,
      'session',
      'respondent_session',
      'oauth_grant',
      'oauth_token',
      'account_link',
      'sign_in_failure',
      'survey_feed',
      'webhook_delivery',
      'email_quota',
      'page_draft',
      'idempotency_key',
      'security_chain',
      'security_event',
      'used_invite',
      'migration',
    ],
    ignoreSchema: ['pgboss'],
    ignoreRoutines: true,
  },
  migrations: {
    path: 'src/db/migrations',
    glob: '!(*.d).{js,ts}',
    // A snapshot would be written into the program folder at every start; `make migration` compares with a database instead.
    snapshot: false,
    emit: 'ts',
    tableName: 'migration',
    transactional: true,
  },
})
