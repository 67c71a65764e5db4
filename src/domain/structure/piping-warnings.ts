import { namesWithoutDefault } from './text.ts'
import { isRecord, type Json, pagePlaces, under } from './walk.ts'
import type { StructureWarning } from './warnings.ts'

const TEXTS = ['title', 'description'] as const

/**
 * Returns a warning for each text that pipes an answer of its own page or a later one. That answer does not exist when
 * the page is opened, so the text has a gap unless it has a default.
 */
export function pipingWarnings(form: unknown): StructureWarning[] {
  const pages = pagePlaces(form).map(({ questions }) =>
    questions.filter((place): place is { value: Json; pointer: string } => isRecord(place.value)),
  )
  const pageOf = new Map(
    pages.flatMap((questions, page) =>
      questions
        .filter(({ value }) => value.idname !== 'hidden-field')
        .flatMap(({ value }) => [value.id, value.identifier].map((name) => [name, page] as const)),
    ),
  )
  return pages.flatMap((questions, page) =>
    questions.flatMap(({ value, pointer }) =>
      TEXTS.flatMap((member) => {
        const name = namesIn(value[member]).find((one) => (pageOf.get(one) ?? -1) >= page)
        return name === undefined ? [] : [warning(under(pointer, member), name)]
      }),
    ),
  )
}

function namesIn(text: unknown): string[] {
  const texts = isRecord(text) ? Object.values(text) : [text]
  return texts.flatMap((one) => (typeof one === 'string' ? namesWithoutDefault(one) : []))
}

const warning = (pointer: string, name: string): StructureWarning => ({
  pointer,
  code: 'piped_on_same_page',
  message: `“${name.slice(0, 60)}” is not answered yet when this page opens. Ask it on an earlier page, or write {{ ${name.slice(0, 60)} | default: "text" }}.`,
})
