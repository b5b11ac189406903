// The profile that nobody has changed yet, of a tenant or of a person in one: all fifteen fields have a value from the
// start.

import type { Insertable } from 'kysely'
import type { Tables } from '../rows/tables.js'
import type { ProfileKey } from './profiles.js'

// Two real pictures, a disc of 32 × 32 pixels and a strip of 96 × 32.
const avatar =
  'data:image/jpeg;base64,/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABQODxIPDRQSEBIXFRQYHjIhHhwcHj0sLiQySUBMS0dARkVQWnNiUFVtVkVGZIhlbXd7gYKBTmCNl4x9lnN+gXz/2wBDARUXFx4aHjshITt8U0ZTfHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHz/wAARCAAgACADASIAAhEBAxEB/8QAGAAAAwEBAAAAAAAAAAAAAAAABAUGAAP/xAAnEAACAQMCBAcBAAAAAAAAAAABAgMABBEFoSEiMWESQVFxgZGx8P/EABcBAQEBAQAAAAAAAAAAAAAAAAABAwT/xAAXEQADAQAAAAAAAAAAAAAAAAABAhEA/9oADAMBAAIRAxEAPwCpuJ47aIySnAH2T6Ckkmr3UjchWMZ6AZ+81tYkMl6U44jUAcfXjnfag1WuhEEp2DMbBj4dUuVPOVkHcY/KcwzJPGHjOQdqnFWj9MYpceHycY6/NR1Eo1VjYdy1aEreF+JDgHp8f3vQqrVHNCk8ZSQZB2pW+mzIeXDjscftFcSHGU2jCqtG6fGTP4vJRmtHYSk8wCDuc0yijWJAqDAG9GYSDFU3f//Z'
const cover =
  'data:image/jpeg;base64,/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABQODxIPDRQSEBIXFRQYHjIhHhwcHj0sLiQySUBMS0dARkVQWnNiUFVtVkVGZIhlbXd7gYKBTmCNl4x9lnN+gXz/2wBDARUXFx4aHjshITt8U0ZTfHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHz/wAARCAAgAGADASIAAhEBAxEB/8QAFgABAQEAAAAAAAAAAAAAAAAAAwUG/8QAFRABAQAAAAAAAAAAAAAAAAAAAAL/xAAYAQEBAQEBAAAAAAAAAAAAAAABAgMABP/EABQRAQAAAAAAAAAAAAAAAAAAAAD/2gAMAwEAAhEDEQA/AI8lkUlls85ZNIZNIJZLIpLKSaSyKSyCWTSGTSCWSyKSylzCyWRSWW7MsmkMmkEslkUllJNJZFJZBLJpDJpBLJZFJZS5/9k='

/** The columns of a new profile; identifiers are new, figures are zero. `now` is epoch milliseconds. */
export function blankProfile(
  key: ProfileKey,
  facts: { publicName: string; idProvider: string; email: string },
  now: number,
  newId: () => string,
): Insertable<Tables['profiles']> {
  return {
    id: newId(),
    tenant_id: key.tenantId,
    user_id: key.userId,
    public_name: facts.publicName,
    id_provider: facts.idProvider,
    email: facts.email,
    cover_url: cover,
    avatar_url: avatar,
    follows_count: 0,
    followers_count: 0,
    enrollments_count: 1,
    social_profile_id: newId(),
    cart_id: newId(),
    wallet_id: newId(),
    currency_id: 'EUR.DE',
    currency_exchange: 1,
    updated_at: now,
  }
}
