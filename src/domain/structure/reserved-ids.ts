import type { StructureWarning } from './structure.ts'
import { pageNodes, under } from './walk.ts'

/**
 * The query parameters of a survey page that the service itself uses. They never fill in an answer. Any other parameter
 * belongs to the survey: it is stored with the response and can contain an answer.
 */
export const SERVICE_PARAMETERS = ['collector', 'lang', 'code', 'page', 'saved', 'quota', '_draft', '_denied'] as const

/** Returns whether a query parameter is one of the {@link SERVICE_PARAMETERS}. */
export const isServiceParameter = (name: string): boolean => SERVICE_PARAMETERS.some((own) => own === name)

/** Returns what is wrong with a question that has the name of a parameter. */
export const reservedIdText = (name: string): string =>
  `“${name}” is a parameter of survey addresses, so no address can fill in this question. Choose another name.`

/** Returns a warning for each question whose ID or identifier is the name of a parameter of the service. */
export const reservedIdWarnings = (form: unknown): StructureWarning[] =>
  pageNodes(form).flatMap(({ questions }) =>
    questions.flatMap(({ value, pointer }) =>
      (['id', 'identifier'] as const).flatMap((member): StructureWarning[] => {
        const name = value[member]
        if (typeof name !== 'string' || !isServiceParameter(name)) return []
        return [
          { pointer: under(pointer, member), code: 'reserved_id', message: reservedIdText(name), values: { name } },
        ]
      }),
    ),
  )
