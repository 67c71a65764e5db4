import type { Loaded, Text, WrittenText } from '../../lib/texts.ts'
import type english from '../../texts/en/respondent.json'
import type { AnswerErrorCode } from '../structure/answer-error.ts'

type Written = Omit<typeof english, 'errors'>

/** The file `respondent.json` of a language. */
export type WrittenTexts = Written & { errors: Readonly<Record<AnswerErrorCode, WrittenText>> }

/**
 * Texts of the service on survey pages, in one language. Placeholders such as `{n}` are replaced.
 * `src/texts/notes.json` says where a text appears.
 */
export interface Texts extends Loaded<Written> {
  /** Errors in answers, by code; parameters such as `{min}` are replaced. */
  errors: Readonly<Record<AnswerErrorCode, Text>>
}
