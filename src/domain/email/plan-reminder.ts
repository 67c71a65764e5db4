import type { Email } from './email.ts'

export const DAY_MS = 86_400_000

/**
 * Sets the time of the next automatic reminder of an email. If the reminder is overdue, sets the current time; if there
 * is no further reminder, sets null.
 */
export function planReminder(email: Email, now: Date): void {
  const { remindAfterDays, remindTimes = 0, remindersSent = 0, status, scheduledAt } = email
  const isPlanned = status !== 'draft' && scheduledAt && remindAfterDays && remindersSent < remindTimes
  const due = isPlanned ? scheduledAt.getTime() + (remindersSent + 1) * remindAfterDays * DAY_MS : 0
  email.nextReminderAt = isPlanned ? new Date(Math.max(due, now.getTime())) : null
}
