import { namesWithoutDefault } from './text.ts'
import { isRecord, type Json, pageNodes, under } from './walk.ts'
import type { StructureWarning } from './warnings.ts'

const TEXT_MEMBERS = ['title', 'description'] as const

/**
 * Returns a warning for each title or description of a question in which a placeholder without a default refers to a
 * question of the same or a later page. That question is not answered when the page is shown. Placeholders for hidden
 * fields cause no warning.
 */
export function pipingWarnings(form: unknown): StructureWarning[] {
  const pages = pageNodes(form).map(({ questions }) =>
    questions.filter((question): question is { value: Json; pointer: string } => isRecord(question.value)),
  )
  const pageByName = new Map(
    pages.flatMap((questions, page) =>
      questions
        .filter(({ value }) => value.idname !== 'hidden-field')
        .flatMap(({ value }) => [value.id, value.identifier].map((name) => [name, page] as const)),
    ),
  )
  return pages.flatMap((questions, page) =>
    questions.flatMap(({ value, pointer }) =>
      TEXT_MEMBERS.flatMap((member) => {
        const name = namesIn(value[member]).find((name) => (pageByName.get(name) ?? -1) >= page)
        return name === undefined ? [] : [warning(under(pointer, member), name)]
      }),
    ),
  )
}

function namesIn(text: unknown): string[] {
  const texts = isRecord(text) ? Object.values(text) : [text]
  return texts.flatMap((text) => (typeof text === 'string' ? namesWithoutDefault(text) : []))
}

const warning = (pointer: string, name: string): StructureWarning => ({
  pointer,
  code: 'piped_on_same_page',
  message: `“${name.slice(0, 60)}” is not answered yet when this page is shown. Move the question to an earlier page, or add a default: {{ ${name.slice(0, 60)} | default: "text" }}.`,
  values: { name: name.slice(0, 60) },
})
