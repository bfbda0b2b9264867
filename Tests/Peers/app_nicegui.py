# SPDX-License-Identifier: Apache-2.0
"""The number screen on NiceGUI: app_nicegui.py PORT."""

import random
import sys

from nicegui import ui


@ui.page("/")
def number():
    label = ui.label("0")
    field = ui.input(value="0", on_change=lambda event: label.set_text(event.value))
    ui.button("Roll", on_click=lambda: field.set_value(str(random.randint(1, 100))))


ui.run(host="127.0.0.1", port=int(sys.argv[1]), show=False, reload=False)
