import { problems } from '../../problem.ts'
import type { Structure, StructureLanguage, StructurePage, StructureQuestion } from '../structure.ts'
import { editQuestion, filterChoices, followCodes, newQuestion } from './edit-question.ts'
import { textMembers, withMembers, withSettings } from './merge.ts'
import type { Operation, PageChange, SurveyChange } from './operation.ts'
import { followItems, withPages } from './references.ts'
import { translate } from './translations.ts'

/**
 * Applies an operation to a structure in full form. Validate the result, because it can be invalid: for example if a
 * question is moved above a question on which it depends. Unknown members are kept.
 * @throws {Problem} `question_not_found`, `structure_changed` for a page that does not exist, `invalid_request`
 */
export function applyOperation(structure: Structure, operation: Operation): Structure {
  switch (operation.op) {
    case 'add_page':
      return insertPage(structure, operation.at)
    case 'edit_page':
      return editPage(structure, operation.page, operation.change)
    case 'move_page':
      return movePage(structure, operation.page, operation.to)
    case 'delete_page':
      pageAt(structure, operation.page)
      return withPages(
        structure,
        numbered(structure).filter(({ was }) => was !== operation.page),
      )
    case 'edit_survey':
      return editSurvey(structure, operation.change)
    case 'translate':
      return translate(structure, operation.code, operation.translations)
    case 'add_question':
      return addQuestion(structure, operation)
    case 'edit_question': {
      const { question } = findQuestion(structure, operation.id)
      const edited = editQuestion(question, operation.change)
      const { structure: following, after } = followCodes(structure, question, edited)
      return followItems(replaceQuestion(following, question.id, [after]), question, after)
    }
    case 'filter_choices': {
      const { question } = findQuestion(structure, operation.id)
      return replaceQuestion(structure, question.id, [filterChoices(question, operation.filters)])
    }
    case 'delete_question':
      findQuestion(structure, operation.id)
      return replaceQuestion(structure, operation.id, [])
    case 'duplicate_question': {
      const { question } = findQuestion(structure, operation.id)
      const { identifier: _, ...copy } = structuredClone(question)
      return replaceQuestion(structure, operation.id, [question, { ...copy, id: operation.copy } as StructureQuestion])
    }
    case 'move_question':
      return moveQuestion(structure, operation.id, operation.page, operation.at)
    case 'shift_question':
      return shiftQuestion(structure, operation.id, operation.by)
  }
}

const numbered = ({ form }: Structure) => form.map((page, was) => ({ page, was }))

const codeOf = ({ languages }: Structure): string => languages.find(({ isDefault }) => isDefault)?.code ?? 'en'

function pageAt({ form }: Structure, page: number): StructurePage {
  const found = form[page]
  if (!found) throw problems.draftChanged()
  return found
}

/**
 * Returns a question with its position.
 * @throws {Problem} `question_not_found`
 */
export function findQuestion(
  { form }: Structure,
  id: string,
): { question: StructureQuestion; page: number; at: number } {
  for (const [page, { children }] of form.entries()) {
    const at = children.findIndex((question) => question.id === id)
    if (at !== -1) return { question: children[at]!, page, at }
  }
  throw problems.questionNotFound()
}

function insertPage(structure: Structure, at: number): Structure {
  const pages: { page: StructurePage; was?: number }[] = numbered(structure)
  pages.splice(at, 0, { page: { type: 'page', children: [] } })
  return withPages(structure, pages)
}

function movePage(structure: Structure, from: number, to: number): Structure {
  pageAt(structure, from)
  const pages = numbered(structure)
  const [moved] = pages.splice(from, 1)
  pages.splice(to, 0, moved!)
  return withPages(structure, pages)
}

function editPage(structure: Structure, index: number, change: PageChange): Structure {
  const page = pageAt(structure, index)
  const { randomize, randomBlock, loop, condition, skip } = change
  const texts = withMembers(page, {
    ...textMembers(page, change),
    ...(condition !== undefined && { condition }),
    ...(skip !== undefined && { skip: skip.length > 0 ? skip : undefined }),
    ...(randomBlock !== undefined && { randomBlock: randomBlock || undefined }),
    ...(loop !== undefined && { loop: loop || undefined }),
  })
  const after = randomize === undefined ? texts : withSettings(texts, { randomize })
  return { ...structure, form: structure.form.with(index, after) }
}

function editSurvey(structure: Structure, change: SurveyChange): Structure {
  const { languages, quotas } = change
  const before = new Map(structure.languages.map((language) => [language.code, language]))
  const quotasBefore = structure.quotas ?? []
  return withMembers(structure, {
    ...textMembers(structure, change),
    ...(languages && {
      languages: languages.map((language): StructureLanguage => ({ ...before.get(language.code), ...language })),
    }),
    ...(quotas && {
      quotas: quotas.map(({ was, ...quota }) => {
        const existing = was === undefined ? undefined : quotasBefore[was]
        return withMembers(existing ?? {}, quota)
      }),
    }),
  })
}

function addQuestion(structure: Structure, operation: Operation & { op: 'add_question' }): Structure {
  const question = newQuestion(operation.kind, operation.id, codeOf(structure), operation.title)
  // A new survey has no page yet. Its first question creates one.
  if (structure.form.length === 0) return { ...structure, form: [{ type: 'page', children: [question] }] }
  const { children } = pageAt(structure, operation.page)
  return insertQuestion(structure, question, operation.page, operation.at ?? children.length)
}

function insertQuestion(structure: Structure, question: StructureQuestion, index: number, at: number): Structure {
  const page = pageAt(structure, index)
  const after = { ...page, children: page.children.toSpliced(at, 0, question) }
  return { ...structure, form: structure.form.with(index, after) }
}

const replaceQuestion = (structure: Structure, id: string, questions: readonly StructureQuestion[]): Structure => ({
  ...structure,
  form: structure.form.map((page) => ({
    ...page,
    children: page.children.flatMap((question) => (question.id === id ? questions : [question])),
  })),
})

function moveQuestion(structure: Structure, id: string, page: number, at: number): Structure {
  const { question } = findQuestion(structure, id)
  pageAt(structure, page)
  return insertQuestion(replaceQuestion(structure, id, []), question, page, at)
}

function shiftQuestion(structure: Structure, id: string, by: -1 | 1): Structure {
  const { page, at } = findQuestion(structure, id)
  const { children } = pageAt(structure, page)
  if (at + by >= 0 && at + by < children.length) return moveQuestion(structure, id, page, at + by)
  const next = structure.form[page + by]
  return next ? moveQuestion(structure, id, page + by, by === 1 ? 0 : next.children.length) : structure
}
