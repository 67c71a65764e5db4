import type { Context } from '../../domain/context.ts'
import type { PageResult } from '../page.ts'
import type { SignedInRequest } from '../session.ts'
import { type FormErrors, fieldErrorsOf } from './field.ts'

/** What a submitted form does. The page that shows the form is the function `view`. */
export interface SubmittedForm<Result> {
  /** The fields beside which the page shows errors; or a function that returns the errors of the form. */
  fields: readonly string[] | ((error: unknown) => FormErrors)
  /** Does what the form is for, in a transaction. */
  act(context: Context): Promise<Result>
  /** Renders the page with the errors and the entered values. Nothing was changed. */
  view(rejected: FormErrors): PageResult | Promise<PageResult>
  /** Returns the reply after success: usually an address, and the message that the page there shows. */
  done(result: Result): PageResult | Saved | Promise<PageResult | Saved>
}

/** A redirect to a page that shows a message. */
interface Saved {
  redirect: string
  flash: string
}

/**
 * Answers a submitted form. If the domain rejects the values, shows the form again with status 422.
 * @throws the error if the user cannot resolve it by changing the input
 */
export async function formPage<Result>(
  request: SignedInRequest,
  { fields, act, view, done }: SubmittedForm<Result>,
): Promise<PageResult> {
  let result: Result
  try {
    result = await request.write(act)
  } catch (error) {
    const problem = request.toProblem(error)
    return rejectedPage(await view(typeof fields === 'function' ? fields(problem) : fieldErrorsOf(problem, fields)))
  }
  const reply = await done(result)
  if ('flash' in reply) request.flash(reply.flash)
  return reply
}

/** Returns a page with status 422, which says that its form was rejected. */
export const rejectedPage = (page: PageResult): PageResult => ({ ...page, status: 422 }) as PageResult
