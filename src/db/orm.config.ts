import path from 'node:path'
import { defineConfig } from '@mikro-orm/postgresql'
import { entities } from '../domain/entities.ts'

/**
 * The configuration of MikroORM and of its command line (`make migration`). The tables in `skipTables`, such as those
 * of responses, have no entities. Hand-written migrations create them, except for `migration`, which MikroORM creates.
 */
export default defineConfig({
  clientUrl: process.env.DATABASE_URL ?? 'postgres://localhost/canvass',
  entities: [...entities],
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
      'provider_failure',
      'survey_feed',
      'survey_change',
      'survey_team',
      'survey_import',
      'colleague_invitation',
      'preview_link',
      'question_library',
      /^survey_comment/,
      'survey_review',
      'storage_warning',
      'unsubscribed_address',
      'bounced_address',
      'webhook_delivery',
      'email_quota',
      'mail_pace',
      /^survey_draft/,
      'page_draft',
      'idempotency_key',
      'secret_key',
      'security_chain',
      'security_event',
      'used_invite',
      'backup_run',
      'theme',
      /^uploaded_file/,
      'file_deletion',
      'image',
      'image_use',
      'migration',
    ],
    ignoreSchema: ['pgboss'],
    ignoreRoutines: true,
  },
  migrations: {
    path: path.join(import.meta.dirname, 'migrations'),
    glob: '!(*.d).{js,ts}',
    // A snapshot would be written into the program folder at every start. `make migration` compares with a database
    // instead.
    snapshot: false,
    emit: 'ts',
    tableName: 'migration',
    transactional: true,
    allOrNothing: false,
  },
})
