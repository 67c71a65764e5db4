import { readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import type { Reply } from './client.ts'
import { type QuestionTypeTest, type TypedSurvey, useQuestionType } from './question-type.ts'
import { formAction, hiddenValue } from './surveys.ts'

/**
 * A virus scanner that finds a virus in a file with the letters EICAR, fails for a file with the letters BROKEN, and
 * accepts every other file.
 */
const SCANNER = 'f=$(tr -d "\\0"); case "$f" in *EICAR*) exit 1;; *BROKEN*) exit 2;; esac'

export const PICTURE = readFileSync(new URL('logo.png', import.meta.url))
export const picture = (name = 'kitchen.png') => new File([PICTURE], name, { type: 'image/png' })
/** Returns a question that asks for a picture or a PDF. */
export const upload = (settings: object = {}) => ({
  idname: 'file-upload',
  id: 'photo',
  title: 'Your kitchen',
  children: [{ fileTypes: ['image', 'pdf'], required: true, ...settings }],
})
export const pathOf = ({ url }: TypedSurvey) => new URL(url).pathname
/** Returns the names of the temporary files with uploads of this process that have not been deleted. */
export const temporaryFiles = () =>
  readdirSync(tmpdir()).filter((name) => name.startsWith(`canvass-upload-${process.pid}-`))

/** Uploads a file through the API. */
export const send = async ({ id, owner }: TypedSurvey, file: File, headers: Record<string, string> = {}) =>
  owner.post(`/api/v3/surveys/${id}/files/?question=photo&name=${encodeURIComponent(file.name)}`, {
    body: new Uint8Array(await file.arrayBuffer()),
    headers: { 'content-type': 'application/octet-stream', ...headers },
  })

/** Functions that test uploads. */
export interface Uploads {
  type: QuestionTypeTest
  /** Returns the stored files of a survey, by name. */
  stored(survey: TypedSurvey): Promise<Record<string, unknown>[]>
  /** Submits a page with files as a browser without scripts does, and follows a redirect. */
  submit(page: Pick<Reply, 'text'>, fields: Record<string, string | File | (string | File)[]>): Promise<Reply>
}

/** Starts a service with a virus scanner and low limits. */
export function useUploads(settings: Readonly<Record<string, string>> = {}): Uploads {
  const type = useQuestionType({
    settings: { FILE_SCAN_COMMAND: SCANNER, FILE_MAX_MB: '2', FILES_MB_PER_ACCOUNT: '8', ...settings },
  })

  return {
    type,
    stored: ({ id }) =>
      type.world
        .em()
        .getConnection()
        .execute('select name, bytes, response_id from uploaded_file where survey_id = ? order by name', [id]),
    async submit(page, fields) {
      const { anonymous } = type.world
      const names = ['_key', '_page', '_draft', '_started']
      const hidden = names.map((name) => [name, hiddenValue(page, name)]).filter(([, value]) => value !== '')
      const kept = page.text.matchAll(/type="checkbox"[^>]* name="photo" value="(\w+)" checked/g)
      const reply = await anonymous.post(formAction(page), {
        multipart: {
          ...Object.fromEntries(hidden),
          _shown: [...page.text.matchAll(/name="_shown" value="(\w+)"/g)].map(([, id]) => id!),
          photo: [...kept].map(([, key]) => key!),
          ...fields,
        },
      })
      const location = reply.headers.get('location')
      return location ? anonymous.get(location) : reply
    },
  }
}
