# SPDX-License-Identifier: Apache-2.0
"""The number screen on Shiny for Python: app_shiny.py PORT."""

import random
import sys

from shiny import App, reactive, render, run_app, ui

page = ui.page_fluid(
    ui.output_text("label"), ui.input_text("number", "", "0"), ui.input_action_button("roll", "Roll")
)


def server(input, output, session):
    @render.text
    def label():
        return input.number()

    @reactive.effect
    @reactive.event(input.roll)
    def _():
        ui.update_text("number", value=str(random.randint(1, 100)))


run_app(App(page, server), host="127.0.0.1", port=int(sys.argv[1]), log_level="error")
