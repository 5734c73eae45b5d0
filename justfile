# What people type. Every recipe is one npm script, so that `just` and npm never disagree.

# the recipes
default:
    @"{{ just_executable() }}" --list --unsorted

# what CI runs, without the fresh install
ci: demo test

# bundle dist/
build:
    npm run build

# checks, then every test with coverage
test:
    npm test

# build, format, types, lint, dead code, package
check:
    npm run check

# format everything
fmt:
    npm run format

# pages that show the run in DIR
ui-server DIR:
    npm run ui -- -C "{{ DIR }}"

# the same for this folder, with pages that are built again whenever their sources change
ui-dev:
    npm run ui:dev

# run CASE once, with pages that show it; FLAGS such as --oracle or --agent claude
eval-with-ui CASE *FLAGS:
    npm run eval -- run "{{ CASE }}" --ui {{ FLAGS }}

# every case of eval/cases, with its solution and with nobody
eval-smoke:
    npm run eval:smoke

# the whole loop in a throw-away repository
demo:
    npm run demo
