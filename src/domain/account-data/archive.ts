import { Readable } from 'node:stream'
import { type ZipEntry, zipStream } from '../../lib/zip.ts'
import { exportContacts } from '../contact/export.ts'
import type { Context } from '../context.ts'
import { listImages, readImage } from '../file/image.ts'
import { readContent } from '../file/queries.ts'
import { imagePath } from '../image/image.ts'
import { Problem } from '../problem.ts'
import { DEFAULT_EXPORT_OPTIONS } from '../response/export/columns.ts'
import { exportResponses } from '../response/export/export.ts'
import { recordSecurityEvent } from '../security/record.ts'
import { defaultSettings } from '../survey/settings.ts'
import { findWorkingCopy } from '../survey/working-copy.ts'
import type { Tables } from '../tables.ts'

const json = (value: unknown) => Readable.from([Buffer.from(`${JSON.stringify(value, null, 2)}\n`)])

/**
 * Streams the data of the actor as a ZIP archive: the profile, the contacts, the contact lists, and the structure,
 * settings, images, responses and uploaded files of each survey that the actor owns. Secrets are excluded.
 */
export async function exportAccount(context: Context): Promise<Readable> {
  await recordSecurityEvent(context, context.actor.id, 'exported', { what: 'account' })
  // If the client disconnects, the query for the current file is closed.
  return zipStream(await entriesOf(context), context.now)
}

async function entriesOf(context: Context): Promise<ZipEntry[]> {
  const surveys = await context.em
    .getKysely<Tables>()
    .selectFrom('survey')
    .select(['id', 'slug'])
    .where('owner_id', '=', context.actor.id)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute()
  return [
    { path: 'account.json', open: async () => json(await profileOf(context)) },
    { path: 'contacts.csv', open: async () => Readable.from(exportContacts(context, {}), { objectMode: false }) },
    { path: 'contact-lists.json', open: async () => json(await listsOf(context)) },
    ...surveys.flatMap(({ id, slug }): ZipEntry[] => {
      const folder = folderOf({ id, slug })
      return [
        { path: `${folder}/survey.json`, open: async () => json(await surveyOf(context, id)) },
        { path: `${folder}/responses.csv`, open: () => responsesOf(context, id) },
      ]
    }),
    ...(await filesOf(context, surveys)),
    ...(await imagesOf(context, surveys)),
  ]
}

const folderOf = ({ id, slug }: { id: number; slug: string }) => `surveys/${id}-${slug}`

/** Returns the files in responses, in a folder for each response. */
async function filesOf(context: Context, surveys: readonly { id: number; slug: string }[]): Promise<ZipEntry[]> {
  const folders = new Map(surveys.map((survey) => [survey.id, folderOf(survey)]))
  const { em, actor } = context
  const files = await em
    .getKysely<Tables>()
    .selectFrom('uploaded_file')
    .innerJoin('survey', 'survey.id', 'survey_id')
    .where('owner_id', '=', actor.id)
    .where('deleted_at', 'is', null)
    .where('response_id', 'is not', null)
    .select(['survey_id', 'response_id', 'key', 'uploaded_file.name', 'bytes', 'store'])
    .orderBy('survey_id')
    .orderBy('response_id')
    .execute()
  return files.map((file) => ({
    path: `${folders.get(file.survey_id)}/files/${file.response_id}/${file.key}-${file.name}`,
    open: () => readContent(context, file.survey_id, file).catch(replaceMissing),
  }))
}

/** Returns the images of choices, in a folder for each survey. The structure of the survey contains their paths. */
async function imagesOf(context: Context, surveys: readonly { id: number; slug: string }[]): Promise<ZipEntry[]> {
  const folders = new Map(surveys.map((survey) => [survey.id, folderOf(survey)]))
  return (await listImages(context)).map((image) => ({
    path: `${folders.get(image.surveyId)}${imagePath(image)}`,
    open: () => readImage(context, image).catch(replaceMissing),
  }))
}

/** Returns a text that replaces a file whose content is missing, for example after the restore of an older backup. */
function replaceMissing(error: unknown): Readable {
  if (!(error instanceof Problem) || error.code !== 'file_not_found') throw error
  return Readable.from([Buffer.from('This file no longer exists.\n')])
}

const NO_NAMES: ReadonlySet<string> = new Set()

async function responsesOf(context: Context, id: number): Promise<Readable> {
  const unfiltered = { search: '', mode: 'strict', parameters: NO_NAMES } as const
  return (await exportResponses(context, id, unfiltered, DEFAULT_EXPORT_OPTIONS)).stream
}

async function profileOf({ em, actor }: Context) {
  const db = em.getKysely<Tables>()
  const keys = await db
    .selectFrom('api_key')
    .select(['name', 'hint', 'created_at'])
    .where('account_id', '=', actor.id)
    .where('revoked_at', 'is', null)
    .orderBy('id')
    .execute()
  const identities = await db
    .selectFrom('external_identity')
    .select(['issuer', 'subject', 'email', 'created_at', 'used_at'])
    .where('account_id', '=', actor.id)
    .orderBy('id')
    .execute()
  const passkeys = await db
    .selectFrom('passkey')
    .select(['name', 'created_at', 'used_at'])
    .where('account_id', '=', actor.id)
    .orderBy('id')
    .execute()
  const { username, name, email } = actor
  return { username, name, email, api_keys: keys, identities, passkeys }
}

async function listsOf({ em, actor }: Context) {
  const rows = await em
    .getKysely<Tables>()
    .selectFrom('contact_list')
    .leftJoin('contact_list_member', 'list_id', 'contact_list.id')
    .leftJoin('contact', 'contact.id', 'contact_id')
    .select(['contact_list.id', 'contact_list.name', 'contact_list.color', 'contact.email'])
    .where('contact_list.owner_id', '=', actor.id)
    .orderBy('contact_list.id')
    .orderBy('contact.id')
    .execute()
  return [...Map.groupBy(rows, ({ id }) => id).values()].map((members) => ({
    name: members[0]!.name,
    color: members[0]!.color,
    contacts: members.flatMap(({ email }) => (email === null ? [] : [email])),
  }))
}

/** Returns the structure and settings of a survey, without secrets. `password` says only whether a password is set. */
async function surveyOf(context: Context, id: number) {
  const { em } = context
  const db = em.getKysely<Tables>()
  const { name, slug, live, tags, created_at, structure, settings } = await db
    .selectFrom('survey')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const collectors = await db
    .selectFrom('collector')
    .select(['id', 'name', 'live', 'is_default', 'settings'])
    .where('survey_id', '=', id)
    .orderBy('id')
    .execute()
  return {
    id,
    name,
    slug,
    live,
    tags,
    created_at,
    settings: withoutSecrets({ ...defaultSettings, ...settings }),
    collectors: collectors.map((collector) => ({ ...collector, settings: withoutSecrets(collector.settings) })),
    structure,
    ...(await draftOf(context, id)),
  }
}

/** Returns the draft of a survey; nothing if there is none. */
async function draftOf(context: Context, id: number) {
  const { draft, structure } = await findWorkingCopy(context, id)
  return draft && { draft: { updated_at: draft.updatedAt.toISOString(), structure } }
}

function withoutSecrets(settings: Tables['collector']['settings']) {
  const { password_hash, custom_authentication, ...plain } = settings
  return {
    ...plain,
    ...(password_hash !== undefined && { password: password_hash !== null }),
    ...(custom_authentication && {
      custom_authentication: {
        enabled: custom_authentication.enabled,
        endpoint_uri: custom_authentication.endpoint_uri,
        ...(custom_authentication.scope && { scope: custom_authentication.scope }),
      },
    }),
  }
}
