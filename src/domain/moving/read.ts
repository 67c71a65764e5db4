import { SandboxError } from '../../lib/sandbox.ts'
import type { Context } from '../context.ts'
import { type FieldError, fieldError } from '../field-error.ts'
import { problems } from '../problem.ts'
import { runInSandbox } from '../sandbox.ts'
import { convertSource, type MovedSurvey } from './convert.ts'
import { filesIn } from './files.ts'
import { fhir } from './formats/fhir.ts'
import { googleforms } from './formats/googleforms.ts'
import { limesurvey } from './formats/limesurvey.ts'
import { qualtrics } from './formats/qualtrics.ts'
import { redcap } from './formats/redcap.ts'
import { surveyjs } from './formats/surveyjs.ts'
import { surveymonkey } from './formats/surveymonkey.ts'
import { typeform } from './formats/typeform.ts'
import { xlsform } from './formats/xlsform.ts'
import { type Format, MovingError } from './source.ts'

/** The formats in the order in which they are tried. */
const formats: readonly Format[] = [
  limesurvey,
  qualtrics,
  surveyjs,
  typeform,
  fhir,
  googleforms,
  redcap,
  surveymonkey,
  xlsform,
]

/**
 * Reads the survey of another tool and its responses, in a separate process. Stores nothing.
 * @param upload a file of the other tool, or a ZIP archive with its files
 * @throws {Problem} `invalid_import`, `too_many_requests`, `unavailable`
 */
export async function readMovedSurvey(context: Context, upload: Buffer): Promise<MovedSurvey> {
  try {
    const result = await runInSandbox(context, 'movedSurveyTask', upload)
    if ('structure' in result) return result
    throw problems.invalidImport(result.errors)
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error
    throw problems.invalidImport([fieldError('file', 'survey_file_too_complex')])
  }
}

/** Runs {@link convertFiles} in a sandbox. */
export async function movedSurveyTask(upload: Uint8Array): Promise<MovedSurvey | { errors: readonly FieldError[] }> {
  try {
    return await convertFiles(Buffer.from(upload.buffer, upload.byteOffset, upload.byteLength))
  } catch (error) {
    if (!(error instanceof MovingError)) throw error
    return { errors: [fieldError(error.file, error.code, error.params)] }
  }
}

/**
 * Converts the files of another tool.
 * @throws {MovingError}
 */
export async function convertFiles(upload: Buffer): Promise<MovedSurvey> {
  const files = await filesIn(upload)
  for (const format of formats) {
    const source = await format.read(files)
    if (source) return convertSource(source)
  }
  const broken = files.find(({ text, json }) => json === undefined && text !== undefined && /^\s*[{[]/.test(text))
  if (broken) throw new MovingError('damaged_survey_file', broken.name, { place: 'JSON' })
  throw new MovingError('unknown_survey_file')
}
