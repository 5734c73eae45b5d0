/** A board as project tools write it: numbers as ids, fields that nobody asked for, odd indentation. */
export const board = `{
    "project": "Shop",
    "tasks": [
        {"id": "T-1", "title": "Cart", "description": "A cart.\\nWith items.", "status": "todo", "tags": [1.50, 2]},
        {
            "id": 2,
            "title": "Pay",
            "status": "in_progress",
            "acceptanceCriteria": ["card", "cash"],
            "failure_notes": "old",
            "last_run": null,
            "passes": false
        },
        { "id": "T-3", "title": "Done", "status": "done" },
        { "title": "No id" }
    ]
}
`;
